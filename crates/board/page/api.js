// Asks the server.

/** Why the server did not do what it was asked. The status is 0 if it could not be reached. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const REASONS = {
  0: "The server cannot be reached.",
  401: "This needs you to sign in.",
  403: "The server does not allow this.",
  404: "This does not exist any more.",
  409: "Somebody else has changed this in the meantime.",
};

/** Sends a request, and returns the response if it was carried out. */
export const request = async (path, options = {}) => {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, REASONS[0]);
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  const reason = REASONS[response.status] ?? `The server failed (${response.status}).`;
  throw new Refusal(response.status, body.error ? String(body.error) : reason);
};

export const get = async (path, signal) => (await request(path, { signal })).json();

export const send = (method, path, body, signal) => request(path, {
  method, signal,
  ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
});

/** Returns the path of a job. The segments "", "." and ".." mean something else, so such names follow "=". */
export const jobPath = name => `api/jobs/${encodeURIComponent(/^(=|\.{0,2}$)/.test(name) ? `=${name}` : name)}`;
