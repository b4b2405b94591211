import { Injectable } from '@nestjs/common';
import { type FastifyInstance } from 'fastify';

export interface Route {
  readonly method: string;
  /** As registered: `/v1/payments/:id`. */
  readonly path: string;
}

/** Every route of the app, to tell "no such path" from "not with this method". */
@Injectable()
export class RouteTable {
  private readonly known: (Route & { readonly pattern: RegExp })[] = [];

  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ method, url }) => {
      const pattern = new RegExp(
        `^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`,
      );
      for (const each of Array.isArray(method) ? method : [method]) {
        this.known.push({ method: each, path: url, pattern });
      }
    });
  }

  get routes(): readonly Route[] {
    return this.known.map(({ method, path }) => ({ method, path }));
  }

  /** The methods that the path of this URL takes. */
  methodsOf(url: string): readonly string[] {
    const path = url.split('?', 1)[0]!;
    return [...new Set(this.known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  }
}
