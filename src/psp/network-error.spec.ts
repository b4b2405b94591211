import { markUnsent, provedUnsent } from './network-error.js';

const failed = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more });

describe('provedUnsent', () => {
  it.each([
    ['refused', failed('ECONNREFUSED', { syscall: 'connect' })],
    ['no such name', failed('ENOTFOUND', { syscall: 'getaddrinfo' })],
    ['the resolver is away', failed('EAI_AGAIN', { syscall: 'getaddrinfo' })],
    ['a certificate that we refuse', failed('CERT_HAS_EXPIRED')],
    ['a certificate of another name', failed('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['no connection in time', failed('ETIMEDOUT', { syscall: 'connect' })],
    ['no route', failed('EHOSTUNREACH', { syscall: 'connect' })],
    ['marked by an agent', markUnsent(failed('ECONNRESET'))],
    ['wrapped by axios', new Error('wrapped', { cause: failed('ECONNREFUSED') })],
    ['wrapped by the Stripe SDK', Object.assign(new Error('wrapped'), { detail: failed('ECONNREFUSED') })],
    [
      'every address refused',
      Object.assign(new AggregateError([failed('ECONNREFUSED'), failed('ECONNREFUSED')]), {
        code: 'ECONNREFUSED',
      }),
    ],
  ])('is proved: %s', (_, error) => {
    expect(provedUnsent(error)).toBe(true);
  });

  it.each([
    ['reset', failed('ECONNRESET', { syscall: 'read' })],
    ['broken pipe', failed('EPIPE', { syscall: 'write' })],
    ['timed out while reading', failed('ETIMEDOUT', { syscall: 'read' })],
    ['timed out, nobody knows where', failed('ETIMEDOUT')],
    ['no route any more', failed('EHOSTUNREACH', { syscall: 'read' })],
    ['aborted', Object.assign(new Error('aborted'), { name: 'AbortError', code: 'ABORT_ERR' })],
    ['socket hang up', failed('ECONNRESET', { message: 'socket hang up' })],
    ['a TLS alert, which may come after the request', failed('EPROTO')],
    [
      'one address refused, one reset',
      Object.assign(new AggregateError([failed('ECONNREFUSED'), failed('ECONNRESET')]), {
        code: 'ECONNREFUSED',
      }),
    ],
    ['no address at all', new AggregateError([])],
    ['a bug', new TypeError('undefined is not a function')],
    ['nothing', undefined],
    ['a word', 'ECONNREFUSED'],
  ])('is not proved: %s', (_, error) => {
    expect(provedUnsent(error)).toBe(false);
  });

  it('ends on causes in a circle', () => {
    const error = new Error('circle');
    error.cause = error;
    expect(provedUnsent(error)).toBe(false);
  });
});
