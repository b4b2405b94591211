import { type Command, Option } from 'commander';
import { type OperatorRole, operatorRoles } from '../core/operator-role.js';
import { Problem } from '../core/problem.js';
import { actor, command, jsonRow, type RunCommand, withExamples } from './command.js';
import { ago, list } from './text.js';

export function addOperators(payonce: Command, perform: RunCommand): void {
  const operators = withExamples(
    payonce.command('operators').description('keep the people who sign in to the console (docs/console.md)'),
    'create ada --role operator',
    'list',
  );
  command(
    operators,
    'create <name>',
    'add an operator; prints the password and the TOTP secret, once',
    'ada --role operator',
  )
    .addOption(
      new Option('--role <role>', 'what the operator may do').choices(operatorRoles).makeOptionMandatory(),
    )
    .option('--person <name>', 'whose account it is, where one person has several; default: the name')
    .action((name: string, { role, person }: { role: OperatorRole; person?: string }) =>
      perform(async ({ operators: open }) => {
        const { operator, credentials } = await (await open()).create(name, role, actor(), person);
        const { password, totp } = credentials;
        return {
          json: { id: operator.id, name, role, password, totp_secret: totp.secret, totp_uri: totp.uri },
          text: [
            `Operator ${name}, ${role}. Shown this once:`,
            `  password     ${password}`,
            `  TOTP secret  ${totp.secret}`,
            `  for a QR     ${totp.uri}`,
          ].join('\n'),
        };
      }),
    );
  command(
    operators,
    'first-link',
    'print a one-time link to the console, while no operator can sign in otherwise',
    '--url http://127.0.0.1:3000',
  )
    .option('--url <url>', 'where the console is reached; default: where it was reached last on this machine')
    .action(({ url }: { url?: string }) =>
      perform(async ({ operators: open, console: last }) => {
        const token = await (await open()).firstLink();
        if (token === null)
          throw new Problem(
            'invalid_state',
            'An operator can sign in already. Add more by "operators create".',
          );
        const link = `${url ?? last}/ops/sign-in#${token}`;
        return { json: { link }, text: link };
      }),
    );
  command(operators, 'list', 'list the operators, by name', '', '--json').action(() =>
    perform(async ({ operators: open, clock }) => {
      const all = await (await open()).list();
      const now = clock.now();
      return {
        json: all.map(({ id, name, role, disabledAt, createdAt }) =>
          jsonRow({ id, name, role, disabledAt, createdAt }),
        ),
        text: list(all, {
          ROLE: ({ role }) => role,
          CREATED: ({ createdAt }) => ago(createdAt, now),
          STATE: ({ disabledAt }) => (disabledAt ? 'disabled' : 'active'),
          NAME: ({ name }) => name,
        }),
      };
    }),
  );
  command(
    operators,
    'disable <name>',
    'lets an operator sign in no more, and ends the sessions',
    'ada',
  ).action((name: string) =>
    perform(async ({ operators: open }) => {
      await (await open()).disable(name, actor());
      return { json: { name, disabled: true }, text: `Disabled: ${name}.` };
    }),
  );
  command(
    operators,
    'link <name>',
    'say as whom an OpenID provider knows an operator',
    'ada --issuer https://id.example --subject 248289761001',
  )
    .requiredOption('--issuer <url>', 'the provider, as PAYONCE_OIDC_FILE has it')
    .requiredOption('--subject <id>', 'the claim "sub" of its ID tokens')
    .action((name: string, subject: { issuer: string; subject: string }) =>
      perform(async ({ operators: open }) => {
        const { issuer, subject: id } = subject;
        await (await open()).link(name, { issuer, subject: id }, actor());
        return { json: { name, issuer, subject: id }, text: `Linked: ${name} is ${id} at ${issuer}.` };
      }),
    );
  command(operators, 'reset-totp <name>', 'make a new TOTP secret, for a lost phone', 'ada').action(
    (name: string) =>
      perform(async ({ operators: open }) => {
        const { secret, uri } = await (await open()).resetTotp(name, actor());
        return {
          json: { name, totp_secret: secret, totp_uri: uri },
          text: [
            `New for ${name}, shown this once:`,
            `  TOTP secret  ${secret}`,
            `  for a QR     ${uri}`,
          ].join('\n'),
        };
      }),
  );
  command(operators, 'reset-password <name>', 'make a new password', 'ada').action((name: string) =>
    perform(async ({ operators: open }) => {
      const password = await (await open()).resetPassword(name, actor());
      return { json: { name, password }, text: `New password of ${name}, shown this once: ${password}` };
    }),
  );
}
