import { type Caller } from '../../src/core/caller.js';
import { initialSettings } from '../../src/core/merchant-settings.js';

/** A caller of a merchant whose settings are as at first. */
export function callerFixture(changes: Partial<Caller> = {}): Caller {
  return {
    merchantId: 'm-1',
    apiKeyId: 'k-1',
    scopes: [],
    needsCertificate: false,
    isTest: false,
    ...initialSettings,
    ...changes,
  };
}
