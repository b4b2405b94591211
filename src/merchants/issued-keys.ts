import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Clock } from '../core/clock.js';
import { ApiKey } from './api-key.entity.js';
import { checksumOf, KEY_SHAPE } from './new-api-key.js';

/** While processes are replaced, one of the version before may still issue keys without a checksum. */
const LOOK_AGAIN_MS = 5_000;

/** Distinguishes keys that may have been issued here from keys that were not, which then cost no read of the database. */
@Injectable()
export class IssuedKeys {
  private secret: Promise<Uint8Array> | null = null;
  private withoutChecksum: Promise<ReadonlySet<string>> | null = null;
  private lookedMs = -Infinity;

  constructor(
    @InjectRepository(ApiKey) private readonly apiKeys: Repository<ApiKey>,
    private readonly clock: Clock,
  ) {}

  /** Under which checksums of this installation are made. It never changes. */
  checksumSecret(): Promise<Uint8Array> {
    if (this.secret) return this.secret;
    const secret = this.readSecret();
    secret.catch(() => (this.secret = null));
    return (this.secret = secret);
  }

  async mayHold(key: string): Promise<boolean> {
    const [, unchecked, prefix, checksum] = KEY_SHAPE.exec(key) ?? [];
    if (unchecked === undefined) return false;
    if (checksum !== undefined) return checksum === checksumOf(unchecked, await this.checksumSecret());
    return (await this.prefixesWithoutChecksum(prefix!)).has(prefix!);
  }

  /** Read again for a prefix that is not among them, at most every 5 s. */
  private async prefixesWithoutChecksum(wanted: string): Promise<ReadonlySet<string>> {
    const known = await this.withoutChecksum;
    const nowMs = this.clock.monotonicMs();
    if (known?.has(wanted) || (this.withoutChecksum && nowMs - this.lookedMs < LOOK_AGAIN_MS)) {
      return this.withoutChecksum!;
    }
    this.lookedMs = nowMs;
    const read = this.readPrefixes();
    read.catch(() => (this.withoutChecksum = null));
    return (this.withoutChecksum = read);
  }

  private async readPrefixes(): Promise<ReadonlySet<string>> {
    const keys = await this.apiKeys.find({ select: { prefix: true }, where: { hasChecksum: false } });
    return new Set(keys.map(({ prefix }) => prefix));
  }

  private async readSecret(): Promise<Uint8Array> {
    const [row] = await this.apiKeys.query<{ secret: Uint8Array }[]>('SELECT secret FROM api_key_checksum');
    return row!.secret;
  }
}
