//go:build cuda

package fit

import _ "embed"

//go:embed fit_compiled.tar.zst
var compiled []byte
