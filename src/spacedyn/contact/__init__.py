"""What touches: surfaces, shapes, materials. What makes forces of them are elements: `Contact`."""
