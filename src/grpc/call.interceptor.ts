import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type Metadata } from '@grpc/grpc-js';
import { finalize, type Observable } from 'rxjs';
import { callOf } from './call.js';

/** A call that is handled keeps its place in flight until the handler ends, also after the client has left. */
@Injectable()
export class CallInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const call = callOf(context.switchToRpc().getContext<Metadata>());
    call.isHandled = true;
    return next.handle().pipe(finalize(() => call.release?.()));
  }
}
