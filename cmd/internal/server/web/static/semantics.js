const degrees = {
  setMeasure: "degree",
  setMeaning: "The entities that best satisfy what the constants require of it.",
};

// What the semantics mean: what answers are, how their numbers are called, how an answer
// depends on its witness, and the same of what is found for the other variables.
export const semantics = {
  nsmp: {
    meaning: "How likely an entity is, computed by messages along the edges of the question.",
    measure: "score",
    reason: "This is its best explanation. The score comes from messages, which take all explanations into account.",
    setMeasure: "score",
    setMeaning: "Its most likely values, as last sent to the rest of the question.",
  },
  fit: {
    meaning: "How well an entity satisfies the question, from 0 to 1, with the best values of the other variables.",
    measure: "degree",
    reason: "The degree is that of its best explanation.",
    ...degrees,
  },
  mixed: {
    meaning: "Both combined: the score by messages and the degree of the best explanation.",
    measure: "score",
    reason: "This is its best explanation. The score combines its degree with that of message passing.",
    ...degrees,
  },
};
