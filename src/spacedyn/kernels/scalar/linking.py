"""Compile functions that are only linked into others: typed and lowered once, without machine code of their own.

Numba makes machine code of every function that it compiles, after a dozen passes that look for closures, contexts,
literals and array expressions. Kernels consist of some two hundred small functions without any of these, and only a
dozen are ever called from outside: for the others that work is lost. And a number that is written in the source,
`base_part(tree, work, u, 1, 0, zero)`, has a type of its own in Numba, for which it would compile the function once
more: here it is an integer like any other, and LLVM sees its value where the function is inlined.
"""

import operator
from typing import Any, ClassVar

from numba.core import typed_passes, types, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering, NopythonTypeInference

from .dual_type import DualType
from .pack import PackType, align_stack

_OPERATORS = frozenset(getattr(operator, name) for name in operator.__all__)


class LinkedLibrary(JITCodeLibrary):
    """A library that is linked into others, and never executed itself."""

    def _optimize_final_module(self):
        """Only the first, cheap one of Numba's two rounds, which inlines: the other comes where this is linked into."""
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=self._codegen._loopvect, slp_vectorize=False, opt=self._codegen._opt_level, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self):
        """Finalise as Numba does, without passing the module to the execution engine, which would compile it."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name):
        """0, by which Numba knows that there is none."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self):
        """Return self: Numba uses the codegen only to set the function's environment."""
        return self

    def set_env(self, name, env):
        """Do nothing: an environment holds Python objects, and kernels use none."""


class LinkedFunction(Lower):
    """Numba's lowering of one function, which tells LLVM what is rarely called and what works on packs.

    LLVM assumes that loops, and code before a call, run often: without the cold mark, a caller's registers would be
    allocated for them.
    """

    def lower_normal_function(self, fndesc):
        """Lower it, and mark it."""
        super().lower_normal_function(fndesc)
        if any(isinstance(one, PackType | DualType) for one in fndesc.argtypes):
            align_stack(self.function)
        if getattr(self.func_ir.func_id.func, "rarely_called", False):
            self.function.attributes.add("cold")
            self.function.attributes.add("noinline")
        if getattr(self.func_ir.func_id.func, "stands_alone", False):
            self.function.attributes.add("noinline")


@register_pass(mutates_CFG=True, analysis_only=False)
class LinkedLowering(NativeLowering):
    """Numba's lowering, into a library that is only linked."""

    _name = "linked_lowering"

    @property
    def lowering_class(self):
        """Of each function."""
        return LinkedFunction

    def run_pass(self, state):
        """Lower into a `LinkedLibrary`."""
        state.library = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().run_pass(state)


class TypingOnce:
    """Numba's typing context, which searches all that `x * y` can mean each time, asked once for each pair of types."""

    _known: ClassVar[dict[Any, Any]] = {}

    def __init__(self, context):
        self._context = context

    def __getattr__(self, name):
        return getattr(self._context, name)

    def resolve_function_type(self, function, arguments, named):
        """The signature that a call has."""
        if named or not (isinstance(function, types.Function) or function in _OPERATORS):
            return self._context.resolve_function_type(function, arguments, named)
        key = function, arguments
        if key not in self._known:
            self._known[key] = self._context.resolve_function_type(function, arguments, named)
        return self._known[key]


@register_pass(mutates_CFG=True, analysis_only=False)
class LinkedTyping(NopythonTypeInference):
    """Numba's inference of types, by `TypingOnce`."""

    _name = "linked_typing"

    def run_pass(self, state):
        """Infer the types, with the context put back afterwards."""
        context, state.typingctx = state.typingctx, TypingOnce(state.typingctx)
        try:
            return super().run_pass(state)
        finally:
            state.typingctx = context


_INSTEAD = {NopythonTypeInference: LinkedTyping, NativeLowering: LinkedLowering}
_NEEDLESS = {  # passes for features that kernels do not use; LLVM removes dead branches, too
    untyped_passes.WithLifting,
    untyped_passes.InlineClosureLikes,
    untyped_passes.RewriteSemanticConstants,
    untyped_passes.DeadBranchPrune,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    typed_passes.NoPythonSupportedFeatureValidation,
    typed_passes.DumpParforDiagnostics,
}


class LinkedCompiler(CompilerBase):
    """Numba's compiler without needless passes, and with `LinkedLowering`."""

    def define_pipelines(self):
        """The only pipeline."""
        manager = PassManager("linked")
        for one, what in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if one not in _NEEDLESS:
                manager.add_pass(_INSTEAD.get(one, one), what)
        manager.finalize()
        return [manager]


def without_literals(dispatcher):
    """Let a dispatcher compile once for all literal integers given as an argument."""
    template = dispatcher.get_call_template

    def get_call_template(args, kws):
        plain = {name: types.unliteral(one) for name, one in dict(kws).items()}
        return template(tuple(types.unliteral(one) for one in args), plain)

    dispatcher.get_call_template = get_call_template
    return dispatcher
