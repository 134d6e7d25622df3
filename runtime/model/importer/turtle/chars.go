package turtle

func isLetter(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c rune) bool  { return '0' <= c && c <= '9' }

// isNameStart reports a character of PN_CHARS_BASE, with which a prefix starts.
func isNameStart(c rune) bool {
	if c < 0x80 {
		return isLetter(c)
	}
	return c >= 0xC0 && c != 0xD7 && c != 0xF7 && c <= 0x2FF || c >= 0x370 && c != 0x37E && c <= 0x1FFF ||
		c == 0x200C || c == 0x200D || c >= 0x2070 && c <= 0x218F || c >= 0x2C00 && c <= 0x2FEF ||
		c >= 0x3001 && c <= 0xD7FF || c >= 0xF900 && c <= 0xFDCF || c >= 0xFDF0 && c <= 0xFFFD || c >= 0x10000 && c <= 0xEFFFF
}

// isNameChar reports a character of PN_CHARS, which names consist of.
func isNameChar(c rune) bool {
	return isNameStart(c) || isDigit(c) || c == '_' || c == '-' || c == 0xB7 || c >= 0x300 && c <= 0x36F || c == 0x203F || c == 0x2040
}
