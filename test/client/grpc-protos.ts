import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';

/** The protos as data, for the file of the client that holds them: it reads none to call by gRPC. */
export function grpcProtos(root: string): object {
  const protos = new protobuf.Root();
  protos.resolvePath = (_, target) => (target.startsWith('payonce/') ? join(root, 'proto', target) : target);
  const files = readdirSync(join(root, 'proto/payonce/v1')).toSorted();
  // Not as they come from the disk, which writes the same protos in another order each time.
  protos.loadSync(
    files.map((file) => `payonce/v1/${file}`),
    { keepCase: true },
  );
  protos.resolveAll();
  return protos.toJSON();
}
