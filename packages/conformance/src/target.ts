import { type PspName } from '@payonce/simulator';

/** A client's request. The same `key` names the same operation, however often it is asked for. */
export interface Ask {
  readonly key: string;
  /** The client's name of the order. */
  readonly reference: string;
  /** In minor units. */
  readonly amount: number;
  readonly currency: string;
  /** For each PSP a token of a card that it approves. */
  readonly tokens: Readonly<Record<PspName, string>>;
  /** The PSP that should be asked first. */
  readonly psp: PspName;
}

/** The answer to a client. A request that throws is not answered. */
export interface Told {
  /** `done` and `failed` are final; after `unknown` the client asks again under the same key. */
  readonly status: 'done' | 'failed' | 'unknown';
  /** The target's own id of the payment, for captures and refunds. */
  readonly payment?: string;
}

/** Something that takes payments at PSPs: a service, a plugin, a few lines around an SDK. */
export interface Target {
  /** Starts it, with the PSPs at these addresses. */
  start(psps: Readonly<Record<PspName, string>>): Promise<void>;
  charge(ask: Ask): Promise<Told>;
  authorize?(ask: Ask): Promise<Told>;
  /** The whole amount of an authorized payment. */
  capture?(payment: string, ask: Ask): Promise<Told>;
  /** The whole amount. */
  refund?(payment: string, ask: Ask): Promise<Told>;
  stop(): Promise<void>;
}
