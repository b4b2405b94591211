import { randomBytes } from 'node:crypto';
import { type Clock } from './clock.js';

/** RFC 9562, section 5.9: what belongs to no merchant is recorded under it. */
export const NO_MERCHANT = '00000000-0000-0000-0000-000000000000';

/**
 * Ids and randomness, from one place, so that a seed replays a whole run.
 */
export abstract class Ids {
  /** A UUIDv7 (RFC 9562): sortable by time, 74 random bits. */
  abstract uuid(): string;
  /** Uniform in [0, 1). For jitter and weights, never for secrets. */
  abstract random(): number;
}

/** Lays out a UUIDv7 from a time in ms since the epoch and 10 random bytes. */
export function uuidv7(timeMs: number, entropy: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(timeMs, 0, 6);
  bytes.set(entropy.subarray(0, 10), 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Ids from the system's random source. */
export class SystemIds implements Ids {
  private pool = Buffer.alloc(0);
  private taken = 0;

  constructor(private readonly clock: Clock) {}

  uuid(): string {
    if (this.taken + 10 > this.pool.length) {
      // One call into the kernel's random source serves 400 ids.
      this.pool = randomBytes(4_000);
      this.taken = 0;
    }
    const entropy = this.pool.subarray(this.taken, this.taken + 10);
    this.taken += 10;
    return uuidv7(this.clock.now().getTime(), entropy);
  }

  random(): number {
    return Math.random();
  }
}

/** Ids from a seed (mulberry32): the same seed gives the same run. For tests and simulations. */
export class SeededIds implements Ids {
  private state: number;

  constructor(
    seed: number,
    private readonly clock: Clock,
  ) {
    this.state = seed >>> 0;
  }

  random(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  uuid(): string {
    const entropy = Uint8Array.from({ length: 10 }, () => Math.floor(this.random() * 256));
    return uuidv7(this.clock.now().getTime(), entropy);
  }
}
