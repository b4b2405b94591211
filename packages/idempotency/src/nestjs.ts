import {
  applyDecorators,
  type CallHandler,
  ConflictException,
  type DynamicModule,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  Module,
  type NestInterceptor,
  type OnModuleInit,
  ServiceUnavailableException,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { CallInProgress, IdempotentCallError } from './call-error.js';
import { type IdempotentOptions } from './call-options.js';
import { type CallStore } from './call-store.js';
import { idempotent } from './idempotent.js';
import { keyedHash } from './request-hash.js';

const OPERATION = 'payonce.idempotent.operation';
const SETTINGS = Symbol('payonce.idempotent.settings');

/** The part of a request that is read, of Express and Fastify alike. */
export interface NestRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
}

/** All durations in ms. */
export interface IdempotencyModuleOptions extends Pick<
  IdempotentOptions<NestRequest>,
  'retention' | 'lockTtl' | 'wait' | 'longestRun' | 'metrics'
> {
  readonly store: CallStore;
  /** 32 bytes: the same in all processes. Tells a repetition from another request under the same key. */
  readonly hashKey: Uint8Array;
  /** Who asks, of a request that is authenticated: keys of one are not those of another. */
  readonly caller: (request: NestRequest) => string;
  /** Default: `idempotency-key`. */
  readonly header?: string;
}

type Call = (key: readonly string[], request: { readonly run: () => Promise<unknown> }) => Promise<unknown>;

/** Runs the handler once for each key and caller; later requests get the body of that run. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly calls = new Map<string, Call>();

  constructor(
    @Inject(SETTINGS) private readonly settings: IdempotencyModuleOptions,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<NestRequest>();
    const operation = this.reflector.get<string>(OPERATION, context.getHandler());
    const { header = 'idempotency-key', caller } = this.settings;
    const key = request.headers[header];
    if (typeof key !== 'string') {
      throw problem(400, 'idempotency_key_missing', `The header ${header} is missing, or was sent twice.`);
    }
    // A handler may answer nothing, which JSON has no word for.
    const run = async () => (await lastValueFrom(next.handle(), { defaultValue: null })) ?? null;
    const answered = this.callOf(operation)([caller(request), key], { ...hashedOf(request), run });
    return from(answered.catch((error: unknown) => refuse(error, http.getResponse<Reply>())));
  }

  private callOf(operation: string): Call {
    const known = this.calls.get(operation);
    if (known) return known;
    const { store, hashKey, caller: _, header: __, ...durations } = this.settings;
    const hash = keyedHash(hashKey);
    const call = idempotent(
      store,
      { ...durations, operation, hashRequest: (request: Hashed) => hash(request.hashed) },
      // What JSON does not carry is told as `answer_not_kept`.
      ({ run }: Hashed & { readonly run: () => Promise<unknown> }) => run() as Promise<string>,
    ) as unknown as Call;
    this.calls.set(operation, call);
    return call;
  }
}

interface Hashed {
  readonly hashed: unknown;
}

function hashedOf({ method, url, body }: NestRequest): Hashed {
  return { hashed: [method, url, body ?? null] };
}

interface Reply {
  header?(name: string, value: string): unknown;
  setHeader?(name: string, value: string): unknown;
}

function refuse(error: unknown, reply: Reply): never {
  if (!(error instanceof IdempotentCallError)) throw error;
  const { code } = error;
  switch (code) {
    case 'request_in_progress': {
      const seconds = String(Math.max(1, Math.ceil((error as CallInProgress).lockedForMs / 1_000)));
      if (reply.header) reply.header('retry-after', seconds);
      else reply.setHeader?.('retry-after', seconds);
      throw new ConflictException({ code, message: 'A request with this key is still running.' });
    }
    case 'idempotency_key_reused':
      throw problem(422, code, 'This key was used for another request.');
    case 'idempotency_key_invalid':
      throw problem(400, code, 'A key has 1 to 255 printable ASCII characters and no space.');
    case 'store_unavailable':
      throw new ServiceUnavailableException({ code, message: 'Nothing was run. Send it again.' });
    default:
      throw problem(500, code, 'The outcome of this request cannot be told.');
  }
}

function problem(status: number, code: string, message: string): HttpException {
  return new HttpException({ statusCode: status, code, message }, status);
}

/** A handler of a POST, in lower case with hyphens: `@Idempotent('send-receipt')`. */
export function Idempotent(operation: string): MethodDecorator {
  return applyDecorators(SetMetadata(OPERATION, operation), UseInterceptors(IdempotencyInterceptor));
}

/** Once in the root module, with the store that all processes share. */
@Module({})
export class IdempotencyModule implements OnModuleInit {
  constructor(@Inject(SETTINGS) private readonly settings: IdempotencyModuleOptions) {}

  static forRoot(options: IdempotencyModuleOptions): DynamicModule {
    return {
      module: IdempotencyModule,
      global: true,
      providers: [{ provide: SETTINGS, useValue: options }, IdempotencyInterceptor],
      exports: [SETTINGS, IdempotencyInterceptor],
    };
  }

  /** Options that cannot be right end the start, not the first request. */
  onModuleInit(): void {
    const { store, hashKey, retention, lockTtl } = this.settings;
    keyedHash(hashKey);
    idempotent(store, { operation: 'start', retention, lockTtl }, () => Promise.resolve(''));
  }
}
