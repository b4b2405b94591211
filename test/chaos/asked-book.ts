/** How long a customer's page waits for one answer. */
const PATIENCE_MS = 8_000;

/** A request under a key, and every final answer that was given to it. There must be one, however often. */
export interface Asked {
  readonly key: string;
  readonly path: string;
  readonly body: object;
  /** The kinds of faults that were played when it was first asked. */
  readonly during: readonly string[];
  readonly at: number;
  readonly answers: Set<string>;
  /** Payments and payouts that an answer named, final or not: none of them may be missing afterwards. */
  readonly named: Set<string>;
  /** The time until the first final answer; null where there was none while customers came. */
  answeredAfterMs: number | null;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Everything that was asked, and when something was answered. */
export class AskedBook {
  readonly all: Asked[] = [];
  requests = 0;
  /** Refused because commits may be lost. */
  held = 0;
  /** Hears of every answer that a client may act upon. */
  onAnswered = (_asked: Asked, _sentAt: number): void => {};

  constructor(
    private readonly url: () => string,
    readonly apiKey: string,
    private readonly during: () => readonly string[],
    /** Whether customers are still there. */
    readonly isOpen: () => boolean,
  ) {}

  open(key: string, path: string, body: object): Asked {
    const asked: Asked = {
      key,
      path,
      body,
      during: this.during(),
      at: performance.now(),
      answers: new Set(),
      named: new Set(),
      answeredAfterMs: null,
    };
    this.all.push(asked);
    return asked;
  }

  /** Sends it once; null where no answer came. */
  async send(asked: Asked): Promise<Answer | null> {
    this.requests += 1;
    const sentAt = performance.now();
    const headers = {
      authorization: `Bearer ${this.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': asked.key,
    };
    const request = { method: 'POST', headers, body: JSON.stringify(asked.body) };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(`${this.url()}${asked.path}`, { ...request, signal })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => null);
    if (!answer || !isWhole(answer)) return null;
    this.note(asked, answer, sentAt);
    return answer;
  }

  private note(asked: Asked, answer: Answer, sentAt: number): void {
    if (answer.status < 300) asked.named.add(subjectOf(answer));
    if (answer.status === 503 && codeOf(answer.text) === 'commits_may_be_lost') this.held += 1;
    if (!isFinal(answer)) return;
    asked.answers.add(`${answer.status} ${answer.text}`);
    if (this.isOpen()) asked.answeredAfterMs ??= performance.now() - asked.at;
    this.onAnswered(asked, sentAt);
  }
}

/** The payment or payout that an answer is about. */
function subjectOf({ text }: Answer): string {
  const told = JSON.parse(text) as { id: string; payment_id?: string };
  return told.payment_id ?? told.id;
}

/** A body that was cut short on the way is no answer. */
function isWhole({ text }: Answer): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** Neither "not yet" nor "not now". */
export function isFinal({ status, text }: Answer): boolean {
  if (status === 202 || status >= 500 || status === 429 || status === 408) return false;
  return status !== 409 || !['request_in_progress', 'order_in_doubt'].includes(codeOf(text));
}

function codeOf(text: string): string {
  return (JSON.parse(text) as { code: string }).code;
}
