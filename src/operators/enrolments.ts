import { Injectable } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { Problem } from '../core/problem.js';
import { type EnrolmentView } from './session.view.js';
import { newTotp } from './totp.js';

/** So long a person may take to add the secret to an app. */
const MINUTES = 30;

type Operator = { readonly id: string; readonly name: string };

/**
 * Authenticators that are shown and not taken yet. The browser keeps the secret for us, encrypted for this operator: nothing is
 * stored of one that nobody confirms.
 */
@Injectable()
export class Enrolments {
  constructor(
    private readonly seal: Encryption,
    private readonly clock: Clock,
  ) {}

  begin(operator: Operator): EnrolmentView {
    const { secret, uri } = newTotp(operator.name);
    const content = { secret, until: this.clock.now().getTime() + MINUTES * 60_000 };
    const sealed = Buffer.from(this.seal.encrypt(content, contextOf(operator))).toString('base64url');
    return { secret, uri, sealed };
  }

  /** @throws Problem `invalid_state` for one that is too old, or of another operator */
  secretOf(operator: Operator, sealed: string): string {
    try {
      const content = this.seal.decrypt(Buffer.from(sealed, 'base64url'), contextOf(operator));
      const { secret, until } = content as { readonly secret: string; readonly until: number };
      if (until >= this.clock.now().getTime()) return secret;
    } catch {
      // Refused below.
    }
    throw new Problem('invalid_state', 'This authenticator was shown too long ago: begin again.');
  }
}

function contextOf({ id }: Operator): string {
  return `enrolment/${id}`;
}
