import fc from 'fast-check';
import { paymentRequest as order } from '../../../src/payments/payment.examples.js';
import {
  answer,
  created,
  cut,
  failureOf,
  hang,
  problem,
  ScriptedApi,
  type Turn,
  undecided,
} from '../../../test/client/scripted-api.js';
import {
  AbortedError,
  ApiError,
  ConnectionError,
  DeadlineError,
  PayonceError,
  UnexpectedAnswerError,
} from './errors.js';

const html: Turn = () => answer(502, '<html>Bad gateway</html>');
const truncated: Turn = () => answer(201, '{"object":"payment","id":"01');
const inProgress = problem(409, 'request_in_progress', { 'retry-after': '3' });
const overloaded = problem(503, 'overloaded', { 'retry-after': '7' });
const rateLimited = problem(429, 'rate_limited', { 'retry-after': '2' });
const internal = problem(500, 'internal_error');

describe('a call that moves money', () => {
  it('is one request where it is answered', async () => {
    const api = new ScriptedApi([created]);
    const answer = await api.client.payments.create(order);
    expect(answer).toMatchObject({
      settled: true,
      status: 201,
      idempotencyKey: 'made-1',
      requestId: 'r-created',
      replayed: false,
      tries: 1,
      body: { status: 'captured' },
    });
    expect(api.sent).toMatchObject([
      { url: 'https://payonce.test/v1/payments', method: 'POST', redirect: 'manual' },
    ]);
  });

  it.each<[string, Turn]>([
    ['a connection that is cut', cut],
    ['a page of a proxy', html],
    ['an answer that is cut short', truncated],
    ['500', internal],
    ['503', problem(503, 'overloaded')],
    ['429', problem(429, 'rate_limited')],
    ['409 request_in_progress', problem(409, 'request_in_progress')],
  ])('is tried again after %s, with the same key and the same bytes', async (_, turn) => {
    const api = new ScriptedApi([turn, turn, turn, created]);
    const body = { ...order, reference: 'before' };
    const call = api.client.payments.create(body);
    body.reference = 'changed while it ran';
    expect(await call).toMatchObject({ settled: true, tries: 4, idempotencyKey: 'made-1' });
    expect(api.keys).toEqual(['made-1', 'made-1', 'made-1', 'made-1']);
    expect(new Set(api.sent.map((sent) => sent.body)).size).toBe(1);
    expect(api.sent[0]?.body).toContain('"before"');
    expect(api.times).toEqual([0, 500, 1_000, 2_000]);
  });

  it("is answered at once where it is the customer's turn, however long it may wait", async () => {
    const next_action = { type: 'redirect', url: 'https://acs.example/1', method: 'GET', fields: {} };
    const turn: Turn = () => answer(202, JSON.stringify({ status: 'requires_action', next_action }));
    const api = new ScriptedApi([undecided, turn, created]);
    const came = await api.client.payments.create(order, { waitUntilSettledMs: 60_000 });
    expect(came).toMatchObject({ settled: false, status: 202, tries: 2, body: { next_action } });
  });

  it('completes a payment with what its customer brought back', async () => {
    const api = new ScriptedApi([created]);
    const details = { redirectResult: 'X6XtfGC3!Y' };
    await api.client.payments.complete('019aa5c0', { details }, { idempotencyKey: 'complete-1' });
    expect(api.sent[0]).toMatchObject({
      url: 'https://payonce.test/v1/payments/019aa5c0/complete',
      method: 'POST',
      body: JSON.stringify({ details }),
    });
  });

  it('has a key of its own each time, and the one that it is given', async () => {
    const api = new ScriptedApi([created]);
    await api.client.payments.create(order);
    await api.client.payments.create(order);
    await api.client.payments.create(order, { idempotencyKey: 'order-1234' });
    expect(api.keys).toEqual(['made-1', 'made-2', 'order-1234']);
  });

  it.each([
    [400, 'body_malformed'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [408, 'request_timeout'],
    [409, 'invalid_state'],
    [413, 'body_too_large'],
    [422, 'validation_failed'],
  ])('is not tried again after %d %s', async (status, code) => {
    const api = new ScriptedApi([problem(status, code, { 'retry-after': '1' }), created]);
    const error = await failureOf(api.client.payments.create(order));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, code, outcomeKnown: true, tries: 1, idempotencyKey: 'made-1' });
    expect(api.sent).toHaveLength(1);
  });

  it('waits as long as it is asked to', async () => {
    const api = new ScriptedApi([overloaded, rateLimited, inProgress, created]);
    await api.client.payments.create(order);
    expect(api.times).toEqual([0, 7_000, 9_000, 12_000]);
  });

  it('waits until the date that it is asked to', async () => {
    const api = new ScriptedApi([
      problem(503, 'overloaded', { 'retry-after': 'Thu, 01 Jan 2026 00:00:20 GMT' }),
      created,
    ]);
    await api.client.payments.create(order);
    expect(api.times).toEqual([0, 20_000]);
  });

  it('ends a try that takes too long, also one that does not listen', async () => {
    const api = new ScriptedApi([hang, created]);
    expect(await api.client.payments.create(order, { tryTimeoutMs: 4_000 })).toMatchObject({ tries: 2 });
    expect(api.sent[0]?.signal.aborted).toBe(true);
    expect(api.sent[1]?.signal.aborted).toBe(false);
    expect(api.times).toEqual([0, 4_500]);
  });
});

describe('a call that comes to nothing', () => {
  it('fails at its deadline, with the key to ask again with', async () => {
    const api = new ScriptedApi([hang]);
    const error = await failureOf(
      api.client.payments.create(order, { deadlineMs: 10_000, tryTimeoutMs: 4_000 }),
    );
    expect(error).toBeInstanceOf(DeadlineError);
    expect(error).toMatchObject({
      name: 'DeadlineError',
      idempotencyKey: 'made-1',
      outcomeKnown: false,
      deadlineMs: 10_000,
      tries: 3,
      cause: expect.any(ConnectionError),
      message: expect.stringContaining('not known'),
    });
    // 0 to 4, 4.5 to 8.5, 9 to 10 s: the last try is as short as the deadline wants it.
    expect(api.times).toEqual([0, 4_500, 9_000]);
    expect(api.clock.monotonicMs()).toBe(10_000);
  });

  it('does not begin a wait that would end past the deadline', async () => {
    const api = new ScriptedApi([problem(503, 'overloaded', { 'retry-after': '60' })]);
    const error = await failureOf(api.client.payments.create(order, { deadlineMs: 10_000 }));
    expect(error).toBeInstanceOf(DeadlineError);
    expect(error).toMatchObject({ tries: 1, cause: { status: 503, retryAfterMs: 60_000 } });
    expect(api.clock.monotonicMs()).toBe(0);
  });

  it('fails with the last failure after as many tries as it may have', async () => {
    const api = new ScriptedApi([cut, cut, overloaded]);
    const error = await failureOf(api.client.payments.create(order, { maxTries: 3 }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'overloaded', tries: 3, outcomeKnown: false });
    expect(api.sent).toHaveLength(3);
  });

  it('says that the outcome is not known when a refusal comes after a try that was lost', async () => {
    const api = new ScriptedApi([cut, problem(401, 'unauthorized')]);
    const error = await failureOf(api.client.payments.create(order));
    expect(error).toMatchObject({ code: 'unauthorized', outcomeKnown: false, idempotencyKey: 'made-1' });
  });

  it('says that the outcome is known when every try was turned away', async () => {
    const api = new ScriptedApi([rateLimited]);
    const error = await failureOf(api.client.payments.create(order, { deadlineMs: 5_000 }));
    expect(error).toMatchObject({ name: 'DeadlineError', outcomeKnown: true, tries: 3 });
  });

  it('does not take for an answer what is none', async () => {
    const pages: Turn[] = [
      () => answer(302, '', { location: 'https://elsewhere.test/' }),
      () => answer(0, ''),
      () => answer(403, '<html>'),
    ];
    for (const [page, outcomeKnown] of pages.map((page, n) => [page, n === 2] as const)) {
      const api = new ScriptedApi([page, created]);
      const error = await failureOf(api.client.payments.create(order));
      expect(error).toBeInstanceOf(UnexpectedAnswerError);
      expect(error).toMatchObject({ tries: 1, outcomeKnown });
    }
  });

  it('carries the whole problem document', async () => {
    const document = {
      code: 'validation_failed',
      title: 'The request is not valid',
      detail: 'Some of the request does not fit; see errors.',
      errors: [{ pointer: '/amount', message: 'must be an integer' }],
    };
    const api = new ScriptedApi([() => answer(422, document, { 'request-id': 'r-header' })]);
    const error = await failureOf(api.client.payments.create(order));
    expect(error).toMatchObject({ ...document, status: 422, requestId: 'r-header', retryAfterMs: null });
    // A stored answer has it in the header alone, a browser of another origin in the body alone.
    const browser = new ScriptedApi([problem(422, 'no_route')]);
    expect(await failureOf(browser.client.payments.create(order))).toMatchObject({ requestId: 'r-body' });
  });
});

describe('a caller who does not want it any more', () => {
  it('ends the try', async () => {
    const stop = new AbortController();
    const api = new ScriptedApi([hang]);
    const call = failureOf(api.client.payments.create(order, { signal: stop.signal }));
    stop.abort('left the page');
    const error = await call;
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({
      name: 'AbortError',
      cause: 'left the page',
      outcomeKnown: false,
      idempotencyKey: 'made-1',
      tries: 1,
    });
    expect(api.sent[0]?.signal.aborted).toBe(true);
    expect(api.clock.monotonicMs()).toBe(0);
  });

  it('ends the wait', async () => {
    const stop = new AbortController();
    const api = new ScriptedApi([overloaded]);
    const call = failureOf(api.client.payments.create(order, { signal: stop.signal }));
    await api.clock.sleep(5_000);
    stop.abort();
    expect(await call).toMatchObject({ name: 'AbortError', tries: 1 });
    expect(api.clock.monotonicMs()).toBe(5_000);
  });

  it('has nothing sent where it is too late', async () => {
    const api = new ScriptedApi([created]);
    const error = await failureOf(api.client.payments.create(order, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ name: 'AbortError', tries: 0, outcomeKnown: true });
    expect(api.sent).toHaveLength(0);
  });
});

describe('an outcome that is not known yet', () => {
  it('is an answer', async () => {
    const api = new ScriptedApi([undecided]);
    const came = await api.client.payments.create(order);
    expect(came).toMatchObject({ settled: false, status: 202, body: { status: 'processing' } });
    expect(api.sent).toHaveLength(1);
  });

  it('is asked for again, with the same key, until it is known', async () => {
    const api = new ScriptedApi([undecided, undecided, cut, overloaded, undecided, created]);
    const came = await api.client.payments.create(order, { waitUntilSettledMs: 60_000 });
    expect(came).toMatchObject({ settled: true, status: 201, tries: 6 });
    expect(new Set(api.keys)).toEqual(new Set(['made-1']));
    expect(api.times).toEqual([0, 500, 1_000, 2_000, 9_000, 11_500]);
  });

  it.each<[string, Turn[]]>([
    ['still is not', [undecided]],
    ['cannot be asked for', [undecided, cut]],
    ['takes too long to tell', [undecided, hang]],
  ])('is the answer after all where it %s in time', async (_, turns) => {
    const api = new ScriptedApi(turns);
    const came = await api.client.payments.create(order, { waitUntilSettledMs: 5_000 });
    expect(came).toMatchObject({ settled: false, status: 202, requestId: 'r-undecided' });
    expect(api.clock.monotonicMs()).toBeLessThanOrEqual(5_000);
    expect(api.sent.length).toBeGreaterThan(1);
  });

  it('is not waited for past the deadline', async () => {
    const api = new ScriptedApi([undecided]);
    const options = { waitUntilSettledMs: 1_000_000, deadlineMs: 3_000 };
    expect(await api.client.payments.create(order, options)).toMatchObject({ settled: false });
    expect(api.clock.monotonicMs()).toBeLessThan(3_000);
  });

  it('stays unknown where asking is refused', async () => {
    const api = new ScriptedApi([undecided, problem(401, 'unauthorized')]);
    const error = await failureOf(api.client.payments.create(order, { waitUntilSettledMs: 5_000 }));
    expect(error).toMatchObject({ code: 'unauthorized', outcomeKnown: false });
  });
});

describe('whatever the API does', () => {
  const turns: Readonly<Record<string, Turn>> = {
    created,
    undecided,
    cut,
    hang,
    html,
    truncated,
    inProgress,
    overloaded,
    rateLimited,
    internal,
    refused: problem(422, 'validation_failed'),
  };

  it('all tries are one request under one key, none before its time, and an end comes in time', async () => {
    const scripts = fc.array(fc.constantFrom(...Object.keys(turns)), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        scripts,
        fc.integer({ min: 1, max: 60_000 }),
        fc.integer({ min: 1, max: 60_000 }),
        fc.boolean(),
        async (script, deadlineMs, tryTimeoutMs, wait) => {
          const api = new ScriptedApi(script.map((name) => turns[name]!));
          const options = { deadlineMs, tryTimeoutMs, ...(wait ? { waitUntilSettledMs: deadlineMs } : {}) };
          const came = await api.client.payments.create(order, options).catch((error: unknown) => error);

          if (came instanceof Error) expect(came).toBeInstanceOf(PayonceError);
          expect(came).toMatchObject({ idempotencyKey: 'made-1', tries: api.sent.length });
          expect(api.clock.monotonicMs()).toBeLessThanOrEqual(deadlineMs);
          for (const [n, { headers, body, url, atMs }] of api.sent.entries()) {
            expect(headers['idempotency-key']).toBe('made-1');
            expect([url, body]).toEqual([api.sent[0]!.url, api.sent[0]!.body]);
            if (n > 0) expect(atMs - api.sent[n - 1]!.atMs).toBeGreaterThanOrEqual(500);
          }
          // Only what was surely turned away may be called known.
          const names = api.sent.map((_, n) => script[n] ?? script.at(-1)!);
          const known = names.every((name) => ['rateLimited', 'refused'].includes(name));
          if (came instanceof Error) expect(came).toMatchObject({ outcomeKnown: known });
        },
      ),
    );
  });
});
