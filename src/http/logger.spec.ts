import { createLogger } from './logger.js';
import { uuidv7 } from '../core/ids.js';
import { redact } from '../core/redact.js';

function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = '';
  const sink = { write: (line: string) => void (text += line) };
  write(createLogger({ level: 'info', sink }));
  return text;
}

describe('what is logged', () => {
  it('masks secrets and card numbers wherever they stand', () => {
    expect(redact('key po_live_AbCd1234efgh used')).toBe('key [removed] used');
    expect(redact('sk_test_51Nabc, pm_card_visa and whsec_abc=')).toBe('[removed], [removed] and [removed]');
    expect(redact('Authorization: Bearer abcdef.ghi')).toBe('Authorization: [removed]');
    expect(redact('charge 4242 4242 4242 4242 now')).toBe('charge [removed] now');
  });

  it('leaves ids, times and words alone', () => {
    const line = `{"level":"info","time":"2026-11-21T10:11:12.123Z","request_id":"${uuidv7(1_767_225_600_007, new Uint8Array(10).fill(0x42))}","ms":12,"route":"/v1/payments/:id","desk_lamp":"risk_level"}`;
    expect(redact(line)).toBe(line);
  });

  it('shows no field that may hold what a client sent', () => {
    const line = logged((logger) => {
      logger.info(
        { headers: { a: 'S1' }, request: { body: 'S2', query: 'S3' }, tokens: { x: 'S4' }, ok: 1 },
        'm',
      );
    });
    expect(line).not.toMatch(/S\d/);
    expect(JSON.parse(line)).toMatchObject({ level: 'info', ok: 1, msg: 'm' });
  });

  it('shows of an error its name, message, code, stack and causes, redacted, and nothing else', () => {
    const cause = Object.assign(new Error('for 5555-5555-5555-4444'), { config: { auth: 'S1' } });
    const error = Object.assign(new TypeError('token pm_1NabcDEF', { cause }), { code: 'E', response: 'S2' });
    const line = logged((logger) => logger.error({ err: error }, 'failed'));
    expect(line).not.toMatch(/S[12]|1Nabc|5555-5555/);
    expect(JSON.parse(line)).toMatchObject({
      err: { type: 'TypeError', message: 'token [removed]', code: 'E', cause: { message: 'for [removed]' } },
    });
    expect(logged((logger) => logger.error({ err: 'pm_1NabcDEF' }, 'failed'))).not.toMatch('1Nabc');
  });
});
