import { ConfigError } from './config/config.js';
import { EmbeddedPostgresError } from './database/embedded/embedded-error.js';
import { reasonForPeople } from './start-failure.js';

it.each([
  'listen EADDRINUSE: address already in use 127.0.0.1:3000',
  'listen EADDRINUSE: address already in use :::3000',
  'No address added out of total 1 resolved errors: [listen EADDRINUSE: address already in use 127.0.0.1:3000]',
])('says which port is taken, and how to choose another: %s', (message) => {
  expect(reasonForPeople(new Error(message))).toMatch(/^port 3000 is taken: .*\bGRPC_PORT\b/);
});

it.each([new EmbeddedPostgresError('put it aside'), new ConfigError(['PORT must be a port'])])(
  'says what to do and no more: %s',
  (error) => {
    expect(reasonForPeople(error)).toBe(error.message);
  },
);

it('shows where anything else went wrong', () => {
  expect(reasonForPeople(new TypeError('x is not a function'))).toContain('start-failure.spec.ts');
  expect(reasonForPeople('ended')).toBe('ended');
});
