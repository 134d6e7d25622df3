// Package newrow computes embeddings of entities that a model was not trained on, from their
// facts, with all other rows fixed.
//
// The row x of a new entity minimises the terms of the training loss (see package train)
// that contain x. Let r(x, t) be its facts, with r directed so that the new entity is the
// head of every fact; r⁻¹ is the inverse, and E_e, W_r are rows of the model:
//
//	Σ facts        log Σ_e exp⟨x⊗W_r, E_e⟩ − ⟨x⊗W_r, E_t⟩       predicting t from x
//	             + log(1 + Z_q·exp(−⟨q, x⟩)), q = E_t⊗W_r⁻¹     predicting x from t
//	             + 2·N3·Σ_k |x_k|³                              the regulariser
//	Σ other facts  log(1 + exp⟨q, x⟩/Z_q), q = E_h⊗W_r⁻¹        x, as a wrong answer to others
//
// where Z_q = Σ_e exp⟨q, E_e⟩. The last line keeps a new entity from ranking high everywhere;
// it covers the facts of the relations that the new entity has. The sum is convex in x.
// Sums over entities and over other facts are estimated from about a hundred evenly spaced
// ones. So a row takes milliseconds for any number of entities and depends only on the model
// and the facts.
//
//	Solver.Row   the row of one entity
//	Rows         the rows of all new entities of a change -> model.Grown
//
// The package knows neither files nor queries.
package newrow
