import { type ArgumentsHost, Catch, Inject, type RpcExceptionFilter } from '@nestjs/common';
import { type Metadata } from '@grpc/grpc-js';
import { type Logger } from 'pino';
import { type Observable, throwError } from 'rxjs';
import { LOGGER } from '../config/config.module.js';
import { problemOf } from '../http/problem.filter.js';
import { callOf } from './call.js';

/** Turns any error of a handler into a problem of the call; the hooks of calls make a status of it. */
@Catch()
export class GrpcProblemFilter implements RpcExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): Observable<never> {
    const call = callOf(host.switchToRpc().getContext<Metadata>());
    const problem = problemOf(thrown);
    call.problem = problem;
    if (problem.code === 'internal_error') {
      this.logger.error({ request_id: call.requestId, err: problem.more.cause }, 'request failed');
    }
    return throwError(() => problem);
  }
}
