import { jsonOnce } from './json-text.js';

interface Payment {
  readonly status: string;
}

describe('the JSON of a view', () => {
  const built: Payment[] = [];
  const json = jsonOnce((payment: Payment, routes: readonly string[]) => {
    built.push(payment);
    return { ...payment, routes };
  });
  const routes = ['first'];
  const payment = { status: 'captured' };

  it('is built once for the same objects', () => {
    expect(json(payment, routes).text).toBe('{"status":"captured","routes":["first"]}');
    expect(json(payment, routes)).toBe(json(payment, routes));
    expect(built).toEqual([payment]);
  });

  it('is built again for another version of what it shows, or of what stands beside it', () => {
    expect(json({ status: 'failed' }, routes).text).toContain('"failed"');
    expect(json(payment, ['first', 'second']).text).toContain('"second"');
    expect(json(payment, routes).text).not.toContain('"second"');
  });

  it('is built where nothing stands beside it', () => {
    const alone = jsonOnce((shown: Payment) => shown);
    expect(alone(payment).text).toBe('{"status":"captured"}');
  });
});
