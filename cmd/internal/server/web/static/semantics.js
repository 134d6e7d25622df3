// What the semantics mean, in words.
const all = {
  nsmp: {
    meaning: "How likely an entity is, computed by messages along the edges of the question.",
    measure: "probability",
    reason: "This is its best explanation. The probability comes from messages, which take all explanations into account.",
  },
  fit: {
    meaning: "How well an entity satisfies the question, from 0 to 1, with the best values of the other variables.",
    measure: "degree",
    reason: "The degree is that of its best explanation.",
  },
  mixed: {
    meaning: "Both combined: the probability by messages and the degree of the best explanation.",
    measure: "probability",
    reason: "This is its best explanation. The probability combines its degree with that of message passing.",
  },
};

// meaning says what answers mean.
export const meaning = (semantics) => all[semantics].meaning;

// measure names the numbers of answers.
export const measure = (semantics) => all[semantics].measure;

// reason says how an answer depends on its witness.
export const reason = (semantics) => all[semantics].reason;

// setMeasure names the numbers of what is found for the other variables.
export const setMeasure = (semantics) => (semantics === "nsmp" ? "probability" : "degree");

// setMeaning says what is found for them.
export const setMeaning = (semantics) => (semantics === "nsmp"
  ? "Its most likely values, as last sent to the rest of the question."
  : "The entities that best satisfy what the constants require of it.");
