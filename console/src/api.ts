/** What the service refused, as it says so (RFC 9457). */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** A page that is left open asks on by itself, and shall not keep its session by that. */
const AWAY_MS = 60_000;
let lastSeen = performance.now();
for (const event of ['pointerdown', 'pointermove', 'keydown', 'scroll'] as const) {
  addEventListener(event, () => (lastSeen = performance.now()), { passive: true, capture: true });
}

export async function api<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<T> {
  const content = body === undefined ? undefined : (['application/json', JSON.stringify(body)] as const);
  const ask = async () => answerOf<T>(await send(method, path, content));
  return method === 'GET' ? ask() : once([method, path, content?.[1]].join(' '), ask);
}

/** The second click of a double click comes sooner. */
const DOUBLE_CLICK_MS = 700;
/** The acts that are under way, or were done just now, by all that they say. */
const acts = new Map<string, Promise<unknown>>();

/** An act that is asked for twice at once is one, and both get its answer: a double click does nothing twice. */
function once<T>(name: string, ask: () => Promise<T>): Promise<T> {
  const same = acts.get(name);
  if (same) return same as Promise<T>;
  const act = ask();
  acts.set(name, act);
  const forget = () => acts.delete(name);
  act.then(() => setTimeout(forget, DOUBLE_CLICK_MS), forget);
  return act;
}

/** The query of what is given. */
export function queryOf(search: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return new URLSearchParams(given).toString();
}

/** A file, as it is. */
export function upload<T>(path: string, file: File): Promise<T> {
  return once(['POST', path, file.size, file.lastModified].join(' '), async () =>
    answerOf<T>(await send('POST', path, ['application/octet-stream', await file.arrayBuffer()])),
  );
}

/** A file to look at. */
export async function download(path: string, type: string): Promise<Blob> {
  const reply = await send('GET', path);
  return new Blob([await reply.arrayBuffer()], { type });
}

let signedInAgain: (() => Promise<void>) | null = null;

/** `ask`: lets the person sign in again over the page, and resolves then: a request that met no session is sent once more. */
export function onEndedSession(ask: () => Promise<void>): () => void {
  signedInAgain = ask;
  return () => {
    signedInAgain = null;
  };
}

/** @throws ApiProblem for what the service refused */
async function send(
  method: string,
  path: string,
  content?: readonly [type: string, body: string | ArrayBuffer],
  askAgain = signedInAgain,
): Promise<Response> {
  const isAway = performance.now() - lastSeen > AWAY_MS;
  const reply = await fetch(`/ops/api/${path}`, {
    method,
    headers: {
      'payonce-console': isAway ? 'idle' : 'active',
      ...(content === undefined ? {} : { 'content-type': content[0] }),
    },
    ...(content === undefined ? {} : { body: content[1] }),
  });
  if (reply.ok) return reply;
  if (reply.status === 401 && askAgain && path !== 'session') {
    await askAgain();
    return send(method, path, content, null);
  }
  const { code, detail, errors } = await answerOf<{
    code?: string;
    detail?: string;
    errors?: readonly { pointer: string; message: string }[];
  }>(reply);
  const faults = (errors ?? []).map(({ pointer, message }) => `${pointer.slice(1)} ${message}`.trim());
  const message = faults.length > 0 ? faults.join('; ') : (detail ?? `The service answered ${reply.status}.`);
  throw new ApiProblem(reply.status, code ?? 'unknown', message);
}

/** Empty where the answer has no JSON. */
async function answerOf<T>(reply: Response): Promise<T> {
  return (await reply.json().catch(() => ({}))) as T;
}
