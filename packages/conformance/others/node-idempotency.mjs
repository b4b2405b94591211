import 'reflect-metadata';
import { Body, Controller, Headers, HttpException, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import idempotency from '@node-idempotency/nestjs';
import { Shop } from './stripe.mjs';

const { Idempotent, NodeIdempotencyModule, StorageAdapterEnum } = idempotency;

/** A Nest service behind the library's interceptor, whose storage is memory; the handler gives Stripe the key, or none. */
export class NestShop {
  constructor(keyOf) {
    this.shop = new Shop(keyOf);
  }

  async start(psps) {
    await this.shop.start(psps);
    this.app = await NestFactory.create(moduleOf(this.shop), { logger: false });
    await this.app.listen(0, '127.0.0.1');
    this.url = await this.app.getUrl();
  }

  charge(ask) {
    return this.post('charge', ask.key, ask);
  }

  authorize(ask) {
    return this.post('authorize', ask.key, ask);
  }

  capture(payment, ask) {
    return this.post('capture', ask.key, { payment, ask });
  }

  refund(payment, ask) {
    return this.post('refund', ask.key, { payment, ask });
  }

  stop() {
    return this.app.close();
  }

  async post(path, key, body) {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const response = await fetch(`${this.url}/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return response.ok ? response.json() : { status: 'unknown' };
  }
}

function moduleOf(shop) {
  const final = async (told) => {
    const answer = await told;
    // A service answers what it does not know with an error.
    if (answer.status === 'unknown') throw new HttpException('the PSP did not answer', 502);
    return answer;
  };
  class Payments {
    charge(key, ask) {
      return final(shop.charge({ ...ask, key }));
    }

    authorize(key, ask) {
      return final(shop.authorize({ ...ask, key }));
    }

    capture(key, { payment, ask }) {
      return final(shop.capture(payment, { ...ask, key }));
    }

    refund(key, { payment, ask }) {
      return final(shop.refund(payment, { ...ask, key }));
    }
  }
  // Decorators, without a compiler for them.
  Controller()(Payments);
  Idempotent()(Payments);
  for (const name of ['charge', 'authorize', 'capture', 'refund']) {
    Headers('idempotency-key')(Payments.prototype, name, 0);
    Body()(Payments.prototype, name, 1);
    Post(name)(Payments.prototype, name, Object.getOwnPropertyDescriptor(Payments.prototype, name));
  }
  function App() {}
  Module({
    imports: [NodeIdempotencyModule.forRootAsync({ storage: { adapter: StorageAdapterEnum.memory } })],
    controllers: [Payments],
  })(App);
  return App;
}

export const target = new NestShop(() => ({}));
