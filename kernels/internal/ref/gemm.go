package ref

// GemmNT computes c[i*n+j] = Σ_l a[i*k+l]·b[j*k+l]: c is m×n, a is m×k, b is n×k.
func GemmNT(c, a, b []float32, m, n, k int) {
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				sum += float64(a[i*k+l]) * float64(b[j*k+l])
			}
			c[i*n+j] = float32(sum)
		}
	}
}
