//go:build cuda

package fit

import _ "embed"

//go:embed fit.cu.tar.zst
var compiled []byte
