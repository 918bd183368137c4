"""The same equations in other words: spatial operators, Kane's method, Lie groups."""
