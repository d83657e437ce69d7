"""Finds where the sources of a folder can be mutated, in the syntax tree of libclang.

A site has edits of its source, in which @ stands for its number as a mutant. No edit repeats an expression, so sites can be nested.
Left alone are what the compiler computes (constexpr, case labels, template arguments), log messages, the macros of profiles, reserve(),
and check(), which is for our own mistakes."""
import re

from clang.cindex import CursorKind, Diagnostic, Index, TypeKind

from plant import Edit, Site

SWITCH = "::ganscale::mutation::"
ACTIVE = SWITCH + "active(@)"
# What the source has: the function of switch.h, what the mutation has.
COMPARISONS = {"<": ("less", "<="), "<=": ("less_equal", "<"), ">": ("greater", ">="), ">=": ("greater_equal", ">"),
               "==": ("equal", "!="), "!=": ("not_equal", "==")}
SUMS = {"+": ("plus", "-"), "-": ("minus", "+"), "+=": ("add", "-="), "-=": ("subtract", "+=")}
LOGIC = {"&&": "||", "||": "&&"}
EXTREMES = {"std::min": "std::max", "std::max": "std::min"}  # what becomes of each
NUMBERS = {TypeKind.INT, TypeKind.UINT, TypeKind.LONG, TypeKind.ULONG, TypeKind.LONGLONG, TypeKind.ULONGLONG, TypeKind.FLOAT, TypeKind.DOUBLE}
# Calls without which nothing changes that a test should see.
QUIET_CALLS = {"reserve", "check"}
DECLARATIONS = {CursorKind.VAR_DECL, CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE,
                CursorKind.CONSTRUCTOR, CursorKind.LAMBDA_EXPR}
COMPUTED_BY_COMPILER = {CursorKind.STATIC_ASSERT, CursorKind.ENUM_DECL, CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPEDEF_DECL}


def enclose(start, end, before, after):
    return [Edit(start, start, before, False, end - start), Edit(end, end, after, True, end - start)]


class File:
    """Collects the sites of one source."""

    def __init__(self, name, data):
        self.name, self.data = name, data
        self.sites = {}

    def text(self, start, end):
        return self.data[start:end].decode()

    def add(self, operator, at, change, edits):
        line = self.data.count(b"\n", 0, at) + 1
        column = at - self.data.rfind(b"\n", 0, at)
        self.sites.setdefault((operator, at), Site(self.name, line, column, operator, change, edits))

    def visit(self, cursor):
        if cursor.kind in COMPUTED_BY_COMPILER or self.is_constexpr(cursor):
            return
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        children = list(cursor.get_children())
        if start < end:
            self.binary(cursor, children)
            self.literal(cursor, start, end)
            self.extreme(cursor, start)
            self.condition(cursor, children)
            self.returned(cursor, children)
            self.calls(cursor, children)
        for child in children[1:] if cursor.kind == CursorKind.CASE_STMT else children:
            self.visit(child)

    def different_sites(self):
        """Returns the sites in order, without negations of what is itself an == or !=: they would be the same mutants."""
        twins = {site.edits[0].start: site.edits[1].start for site in self.sites.values() if site.change in ("== -> !=", "!= -> ==")}
        ordered = [site for _, site in sorted(self.sites.items(), key=lambda item: item[0][::-1])]
        return [site for site in ordered
                if site.operator not in ("condition", "return") or twins.get(site.edits[0].start) != site.edits[1].start]

    def is_constexpr(self, cursor):
        if cursor.kind == CursorKind.IF_STMT:
            return self.text(cursor.extent.start.offset, cursor.extent.start.offset + 30).startswith("if constexpr")
        if cursor.kind not in DECLARATIONS:
            return False
        head = self.text(cursor.extent.start.offset, cursor.extent.end.offset)
        return re.match(r"[^({=]*\b(constexpr|consteval)\b", head) is not None

    def binary(self, cursor, children):
        if len(children) not in (2, 3) or not cursor.kind.is_expression():
            return
        left, right = children[0].extent, children[-1].extent
        if left.start.offset != cursor.extent.start.offset or right.end.offset != cursor.extent.end.offset:
            return
        between = self.text(left.end.offset, right.start.offset)
        sign = between.strip()
        at = left.end.offset + len(between) - len(between.lstrip())
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        if sign in LOGIC:
            edits = enclose(start, end, "(((static_cast<bool>(", f") != {ACTIVE})) != {ACTIVE})")  # De Morgan
            edits.append(Edit(at, at + 2, f") != {ACTIVE}) {sign} (static_cast<bool>("))
            self.add("logic", at, f"{sign} -> {LOGIC[sign]}", edits)
        elif sign in COMPARISONS or sign in SUMS and is_sum(cursor, children):
            function, other = (COMPARISONS | SUMS)[sign]
            edits = enclose(start, end, f"{SWITCH}{function}(@, (", "))")
            edits.append(Edit(at, at + len(sign), "), ("))
            self.add("comparison" if sign in COMPARISONS else "sum", at, f"{sign} -> {other}", edits)

    def literal(self, cursor, start, end):
        text = self.text(start, end)
        if cursor.kind == CursorKind.INTEGER_LITERAL and re.fullmatch(r"[0-9']+", text):
            after = int(text.replace("'", "")) + 1
            self.add("constant", start, f"{text} -> {after}", enclose(start, end, f"{SWITCH}constant(@, ", ")"))

    def extreme(self, cursor, start):
        name = self.text(start, start + 8)
        if cursor.kind == CursorKind.CALL_EXPR and name in EXTREMES and self.data[start + 8:start + 9] in (b"(", b"<"):
            is_least = "true" if name == "std::min" else "false"
            self.add("extreme", start, f"{name} -> {EXTREMES[name]}", [Edit(start, start + 8, f"{SWITCH}Extreme{{@, {is_least}}}.of")])

    def condition(self, cursor, children):
        if cursor.kind == CursorKind.CONDITIONAL_OPERATOR:
            self.negate("condition", children[0])
        elif cursor.kind in (CursorKind.IF_STMT, CursorKind.WHILE_STMT):
            opening = self.data.index(b"(", cursor.extent.start.offset)
            closing = self.closing_parenthesis(opening)
            inside = [child for child in children if opening < child.extent.start.offset and child.extent.end.offset <= closing]
            if inside and all(child.kind != CursorKind.VAR_DECL for child in inside) and inside[-1].kind.is_expression():
                self.negate("condition", inside[-1])

    def closing_parenthesis(self, opening):
        depth = 0
        for at in range(opening, len(self.data)):
            depth += {b"(": 1, b")": -1}.get(self.data[at:at + 1], 0)
            if depth == 0:
                return at
        raise ValueError(f"{self.name}: no closing parenthesis after byte {opening}")

    def returned(self, cursor, children):
        if cursor.kind == CursorKind.RETURN_STMT and len(children) == 1 and children[0].type.get_canonical().kind == TypeKind.BOOL:
            self.negate("return", children[0])

    def negate(self, operator, expression):
        start, end = expression.extent.start.offset, expression.extent.end.offset
        if start < end:
            text = " ".join(self.text(start, end).split())
            self.add(operator, start, f"{text} -> !({text})", enclose(start, end, "(static_cast<bool>(", f") != {ACTIVE})"))

    def calls(self, cursor, children):
        bodies = {CursorKind.COMPOUND_STMT: children, CursorKind.IF_STMT: children[1:], CursorKind.FOR_STMT: children[-1:],
                  CursorKind.CXX_FOR_RANGE_STMT: children[-1:], CursorKind.WHILE_STMT: children[-1:]}
        for statement in bodies.get(cursor.kind, []):
            call = called(statement)
            ending = re.compile(rb"\s*;").match(self.data, statement.extent.end.offset)
            start = statement.extent.start.offset
            if call is not None and ending and not is_quiet(call) and not re.match(rb"[A-Z_]+\(", self.data[start:]):
                self.add("call", start, f"{' '.join(self.text(start, ending.end()).split())} is removed",
                         enclose(start, ending.end(), f"{{ if (!{ACTIVE}) {{ ", " } }"))


def is_sum(cursor, children):
    kind = cursor.type.get_canonical()
    if kind.kind in NUMBERS:
        return all(child.type.get_canonical().kind in NUMBERS for child in (children[0], children[-1]))
    names = [child.type.get_canonical().spelling for child in (children[0], children[-1])]
    return all("chrono" in name for name in names) and "time_point" not in names[1]


def called(statement):
    """Returns the call of a function that a statement consists of, or None."""
    while statement.kind == CursorKind.UNEXPOSED_EXPR:
        children = list(statement.get_children())
        if len(children) != 1:
            return None
        statement = children[0]
    is_call = statement.kind == CursorKind.CALL_EXPR and not statement.spelling.startswith("operator")
    return statement if is_call else None


def is_quiet(call):
    target = call.referenced
    parent = target.semantic_parent.spelling if target is not None and target.semantic_parent is not None else ""
    return call.spelling in QUIET_CALLS or parent == "log"


def find(root, files, arguments):
    """Returns the sites of the sources of one library, which are parsed as one translation unit, as the build compiles them."""
    sources = {str(root / name): File(name, (root / name).read_bytes()) for name in files}
    for cursor in parse(sources, arguments).get_children():
        source = sources.get(cursor.location.file.name) if cursor.location.file else None
        if source:
            source.visit(cursor)
    return [site for source in sources.values() for site in source.different_sites()]


def parse(sources, arguments):
    """Returns the root of the syntax tree. GCC's intrinsics are errors for clang, which do no harm: only those in the sources count."""
    contents = "".join(f'#include "{path}"\n' for path in sources)
    unit = Index.create().parse("all.cpp", args=[*arguments, "-ferror-limit=0"], unsaved_files=[("all.cpp", contents)])
    errors = [str(each) for each in unit.diagnostics if each.severity >= Diagnostic.Error and each.location.file
              and (each.location.file.name in sources or each.severity == Diagnostic.Fatal)]
    if errors:
        raise SystemExit("libclang cannot parse a source:\n" + "\n".join(errors[:10]))
    return unit.cursor
