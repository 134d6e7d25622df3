//go:build cuda

package fit

import _ "embed"

//go:embed fit.cu.zip
var compiled []byte
