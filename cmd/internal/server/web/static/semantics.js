// What the semantics mean, in words.
const all = {
  nsmp: {
    meaning: "How likely an entity is, by the messages that the parts of the question send each other.",
    measure: "probability",
    reason: "This is its best reason. The probability comes from messages, which weigh all reasons.",
  },
  fit: {
    meaning: "How true the question is of an entity, from 0 to 1, by the best values that the other variables can take.",
    measure: "degree",
    reason: "The degree is that of its best reason.",
  },
  mixed: {
    meaning: "Both together: how likely an entity is by messages, and how true the question is of it by its best reason.",
    measure: "probability",
    reason: "This is its best reason. The probability mixes its degree with what messages say.",
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
  ? "The entities that it most likely stands for, as the rest of the question last heard."
  : "The entities for which what the constants say of it is most true.");
