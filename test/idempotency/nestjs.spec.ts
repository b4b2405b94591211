import { Body, Controller, HttpCode, HttpException, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { MemoryCallStore } from '@payonce/idempotency';
import { Idempotent, IdempotencyModule, type IdempotencyModuleOptions } from '@payonce/idempotency/nestjs';

/** The module for others' NestJS services, in one. */
let runs: string[] = [];
let hold: Promise<void> = Promise.resolve();

@Controller()
class Receipts {
  @Post('receipts')
  @Idempotent('send-receipt')
  async send(@Body() { to }: { to: string }) {
    runs.push(to);
    await hold;
    if (to === 'nobody') throw new HttpException('there is nobody', 422);
    return { sent: runs.length, to };
  }

  @Post('nothing')
  @HttpCode(204)
  @Idempotent('do-nothing')
  nothing(): void {
    runs.push('nothing');
  }
}

const options: IdempotencyModuleOptions = {
  store: new MemoryCallStore(),
  hashKey: Buffer.alloc(32, 7),
  retention: 60_000,
  lockTtl: 2_000,
  caller: ({ headers }) => String(headers['authorization']),
};

async function started(more: Partial<IdempotencyModuleOptions> = {}): Promise<NestFastifyApplication> {
  @Module({ imports: [IdempotencyModule.forRoot({ ...options, ...more })], controllers: [Receipts] })
  class App {}
  const app = await NestFactory.create<NestFastifyApplication>(App, new FastifyAdapter(), {
    logger: false,
    abortOnError: false,
  });
  await app.init();
  return app;
}

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await started();
});
afterAll(() => app.close());
beforeEach(() => {
  runs = [];
  hold = Promise.resolve();
});

async function post(body: object, key?: string, caller = 'ada', url = '/receipts') {
  const answer = await app.inject({
    method: 'POST',
    url,
    payload: body,
    headers: { authorization: caller, ...(key === undefined ? {} : { 'idempotency-key': key }) },
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.body };
}

it('runs a handler once for a key and a caller, and answers the same again', async () => {
  const first = await post({ to: 'a' }, 'k-1');
  expect(first).toMatchObject({ status: 201, body: '{"sent":1,"to":"a"}' });
  expect((await post({ to: 'a' }, 'k-1')).body).toBe(first.body);
  expect((await post({ to: 'a' }, 'k-1', 'bob')).body).toBe('{"sent":2,"to":"a"}');
  expect((await post({}, 'k-1', 'ada', '/nothing')).status).toBe(204);
  expect((await post({}, 'k-1', 'ada', '/nothing')).status).toBe(204);
  expect(runs).toEqual(['a', 'a', 'nothing']);
});

it('refuses another request under the key, and a request without one', async () => {
  await post({ to: 'a' }, 'k-2');
  expect(await post({ to: 'b' }, 'k-2')).toMatchObject({
    status: 422,
    body: expect.stringContaining('idempotency_key_reused'),
  });
  expect(await post({ to: 'b' })).toMatchObject({
    status: 400,
    body: expect.stringContaining('idempotency_key_missing'),
  });
  expect((await post({ to: 'b' }, 'a key')).body).toContain('idempotency_key_invalid');
  expect(runs).toEqual(['a']);
});

it('says when to ask again while the first request runs', async () => {
  let end = () => {};
  hold = new Promise((resolve) => (end = resolve));
  const first = post({ to: 'a' }, 'k-3');
  let second = await post({ to: 'a' }, 'k-3');
  while (second.status !== 409) second = await post({ to: 'a' }, 'k-3');
  expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
  end();
  expect((await first).status).toBe(201);
  expect(runs).toEqual(['a']);
});

it('runs a handler again that threw: it is taken to have done nothing', async () => {
  for (const _ of [1, 2]) expect((await post({ to: 'nobody' }, 'k-4')).status).toBe(422);
  expect(runs).toEqual(['nobody', 'nobody']);
});

it.each([{ hashKey: Buffer.alloc(3) }, { lockTtl: 1 }, { retention: -1 }])(
  'does not start with %j',
  async (wrong) => {
    await expect(started(wrong)).rejects.toThrow(RangeError);
  },
);
