// Speaks to the server: see /openapi.yaml.

// Problem is an error that the server explained.
export class Problem extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.mistakes = error.mistakes ?? [];
    this.suggestions = error.suggestions ?? [];
  }
}

const storage = "efoc-token", factsStorage = "efoc-facts-token";

// setToken keeps the token for as long as the tab is open.
export function setToken(token) {
  sessionStorage.setItem(storage, token);
}

// foreign says that a response is not the server's own, such as a proxy's page of HTML.
const foreign = (response) => `Something between this page and efoc, such as a proxy, answered instead of efoc, with status ${response.status} ${response.statusText}`.trimEnd() +
  ". Is the server still running? Try again in a moment.";

async function call(path, options = {}, from = storage) {
  const headers = {};
  const token = sessionStorage.getItem(from);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (options.body) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { code: "unreachable", message: "The server does not answer. Is it still running?" });
  }
  let body = null;
  try {
    body = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
  }
  if (response.ok && body) return body;
  throw new Problem(response.status, body?.error ?? { code: "foreign", message: foreign(response) });
}

const get = (path, parameters, signal) => call(`${path}?${new URLSearchParams(parameters)}`, { signal });
const post = (path, value, signal) => call(path, { method: "POST", body: JSON.stringify(value), signal });

export const ask = (question, signal) => post("/v1/ask", question, signal);
export const explain = (question, signal) => post("/v1/explain", question, signal);
export const model = () => call("/v1/model");
export const examples = () => call("/v1/examples");
export const templates = () => call("/v1/templates");
export const search = (name, kind, k, signal) => get("/v1/search", { name, kind, k }, signal);
export const relations = (name, offset, signal) => get("/v1/relations", { name, offset, k: 25 }, signal);
export const batch = (queries, signal) => post("/v1/batch", { queries }, signal);
export const entity = (name, page, signal) => get(`/v1/entity/${encodeURIComponent(name)}`, page, signal);
export const missing = (parameters, signal) => get("/v1/missing", parameters, signal);
export const relation = (name, signal) => get(`/v1/relation/${encodeURIComponent(name)}`, {}, signal);

// change adds and removes facts, or marks them as not true, for which the server has a token of its own.
export const change = (value) => call("/v1/facts", { method: "POST", body: JSON.stringify(value) }, factsStorage);
export const hasFactsToken = () => sessionStorage.getItem(factsStorage) !== null;
export const setFactsToken = (token) => sessionStorage.setItem(factsStorage, token);

// mostWitnesses is how many entities the server explains at once.
export const mostWitnesses = 10;
export const witnesses = (question, names) => post("/v1/witness", { ...question, entities: names });
export const whyNot = (question, names) => post("/v1/why-not", { ...question, entities: names });
