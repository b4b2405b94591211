import { Injectable } from '@nestjs/common';
import { type FastifyContextConfig, type FastifyInstance } from 'fastify';

interface HttpRoute {
  readonly method: string;
  /** The pattern as registered: `/v1/payments/:id`. */
  readonly path: string;
}

/** Every route of the app: a path that does not exist is answered 404, another method of one that does 405. */
@Injectable()
export class RouteTable {
  private readonly known: (HttpRoute & { readonly pattern: RegExp })[] = [];

  /** @throws Error from now on, for a route of the APIs that does not say who may call it: it would be open to all */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ method, url, config }) => {
      if (IS_GUARDED.test(url) && !saysWho(config))
        throw new Error(`${String(method)} ${url} does not say who may call it`);
      const pattern = new RegExp(
        `^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`,
      );
      for (const each of Array.isArray(method) ? method : [method]) {
        this.known.push({ method: each, path: url, pattern });
      }
    });
  }

  get routes(): readonly HttpRoute[] {
    return this.known.map(({ method, path }) => ({ method, path }));
  }

  /** The methods that the path of this URL takes. */
  methodsOf(url: string): readonly string[] {
    const path = url.split('?', 1)[0]!;
    // A path that is written out is that path, and no value of a parameter.
    const fixed = this.known.filter((route) => route.path === path);
    const routes = fixed.length > 0 ? fixed : this.known.filter(({ pattern }) => pattern.test(path));
    return [...new Set(routes.map(({ method }) => method))];
  }
}

const IS_GUARDED = /^\/(?:v1|ops\/api)\//;

function saysWho({ access, operatorRole, isNotification }: FastifyContextConfig = {}): boolean {
  return access !== undefined || operatorRole !== undefined || isNotification === true;
}
