package lang

// Syntax of other languages, and what to write instead.

// phrases are words of other languages, in lower case, that join or modify patterns.
var phrases = map[string]string{
	"where":    "write only the pattern: atoms joined by & and |",
	"filter":   "join conditions by &",
	"union":    "write |",
	"minus":    "write & ! and an atom",
	"except":   "write & ! and an atom",
	"but":      "write & and an atom, or & ! and an atom",
	"xor":      "write (a & !b) | (b & !a)",
	"implies":  "write a -> b",
	"iff":      "write (a -> b) & (b -> a)",
	"limit":    "how many answers are listed is no part of the question: see the option k",
	"order":    "answers are in order, the best first",
	"distinct": "each answer is listed once",
	"optional": "an atom that need not hold does not change which entities answer: leave it out",
	"return":   "the answers are the values of the variable that no quantifier binds",
}

// strayChars are characters that no token starts with.
var strayChars = map[string]string{
	"‘": curly, "’": curly, "“": curly, "”": curly, "„": curly, "«": curly, "»": curly,
	";": "atoms are joined by & or |, the arguments of an atom by a comma",
	"+": "atoms are joined by & or |; a path of several steps has a bound: r{1,3}(x, y)",
	"-": "a name with - must be quoted, and so must a date; the inverse of r is r^-1; an implication is written a -> b",
	"{": "a path is written r{1,3}(x, y) or r{2}(x, y); a question is a formula without braces",
	"[": "a question is a formula without brackets; parentheses group",
	"<": `names are quoted: "France"; "different from" is written !=`,
	"⁻": "the inverse of r is r^-1",
	"?": "a question ends without a question mark; a path of one step or none is written r{0,1}(x, y)",
	"*": "a relation or entity with * in its name must be quoted; bind a variable for what may be anything: exists x. …; a path has a bound: r{1,3}(x, y)",
}

const curly = `quotes are straight: "…" or '…'`

// separatorHints explain tokens between atoms that do not join them.
var separatorHints = map[string]string{
	",": "atoms are joined by & or |, not by a comma",
	".": "a dot stands only behind the variables of exists",
	"=": equalsHint,
}
