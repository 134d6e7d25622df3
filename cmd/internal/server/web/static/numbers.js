// Numbers as text, everywhere in the same way: three digits that count.
const three = new Intl.NumberFormat("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat("en");

// number writes a score, a degree or another quantity from 0 on.
export function number(x) {
  if (x === 0) return "0";
  return x < 1e-4 ? x.toExponential(2) : three.format(x);
}

// count writes how many there are of something, with its name.
export const count = (n, one, many = `${one}s`) => `${whole.format(n)} ${n === 1 ? one : many}`;

// percent writes a chance, and little as little.
export const percent = (p) => (p < 0.005 ? "< 1%" : `${Math.round(100 * p)}%`);

// duration writes a time that is given in seconds.
export const duration = (seconds) => (seconds < 1 ? `${number(1000 * seconds)} ms` : `${number(seconds)} s`);
