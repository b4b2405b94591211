import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type OperationHistory } from './decisions/attempt.js';
import { type PspAttempt } from './route.entity.js';

/** One route as clients see it. */
@ApiSchema({ name: 'Route' })
export class RouteView {
  @ApiProperty({ type: 'integer' })
  readonly route: number;

  @ApiProperty()
  readonly psp: string;

  @ApiProperty()
  readonly verdict: string;

  @ApiProperty({ type: 'string', nullable: true })
  readonly outcome: string | null;
}

export function routeViewsOf(history: OperationHistory | undefined): RouteView[] {
  return (history?.routes ?? []).map(({ request, attempts }) => ({
    route: request.route,
    psp: request.psp,
    verdict: request.verdict,
    outcome: outcomeOf(attempts),
  }));
}

/** The last thing a PSP said about the route: the latest answer that says anything. */
function outcomeOf(attempts: readonly PspAttempt[]): string | null {
  const lastAnswered = attempts.findLast(({ outcome }) => outcome !== null && outcome !== 'unknown');
  return (lastAnswered ?? attempts.at(-1))?.outcome ?? null;
}
