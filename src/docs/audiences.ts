import { type OpenAPIObject } from '@nestjs/swagger';

interface Audience {
  readonly name: string;
  /** Tags of the operations that this audience calls. */
  readonly tags: readonly string[];
  /** Above the operations; null: the introduction of the document. */
  readonly about: string | null;
}

/** Who calls the API. Every tag of the document belongs to one of them. */
export const audiences: Readonly<Record<string, Audience>> = {
  merchants: {
    name: 'merchants',
    tags: ['Payments', 'Orders', 'Refunds', 'Payouts', 'Webhooks', 'Events'],
    about: null,
  },
  operators: {
    name: 'operators',
    tags: ['Dead letters', 'Ledger', 'Reconciliation', 'Operations'],
    about:
      'Health and metrics are for load balancers and monitoring. Dead letters, the ledger and reconciliation take the token in `PAYONCE_OPS_TOKEN` ([configuration](/docs/configuration)); an installation without it serves them to the console alone. The [runbooks](/docs/runbooks) say when to use dead letters.',
  },
  psps: {
    name: 'PSPs',
    tags: ['Notifications'],
    about:
      'PSPs send their notifications here, signed with a secret of the account. [Webhooks](/docs/webhooks) says what to enter at each PSP.',
  },
};

/** The part of the document that an audience calls, with no component that it does not refer to. */
export function documentFor({ name, tags, about }: Audience, whole: OpenAPIObject): OpenAPIObject {
  const document = structuredClone(whole);
  document.info = {
    ...document.info,
    title: `API for ${name}`,
    ...(about === null ? {} : { summary: '', description: about }),
  };
  document.tags = document.tags?.filter(({ name }) => tags.includes(name)) ?? [];
  document.paths = Object.fromEntries(
    Object.entries(document.paths).filter(([, item]) =>
      Object.values(item as Record<string, { tags?: string[] }>).some((operation) =>
        operation.tags?.some((tag) => tags.includes(tag)),
      ),
    ),
  );
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item as Record<string, { responses?: Responses }>)) {
      if (operation.responses !== undefined) operation.responses = withProblemsFolded(operation.responses);
    }
  }
  document.components = usedComponents(document);
  return document;
}

type Responses = Record<string, { description: string }>;

/** One row for all problems, which were most of the page. `/docs/openapi.json` has each with its example. */
function withProblemsFolded(responses: Responses): Responses {
  const answers: Responses = {};
  const problems: string[] = [];
  for (const [status, response] of Object.entries(responses)) {
    if (Number(status) < 400) answers[status] = response;
    else
      problems.push(
        response.description.replaceAll(/^`(\w+)`: /gm, `- ${status} [\`$1\`](/docs/problems/$1): `),
      );
  }
  if (problems.length === 0) return answers;
  const listed = problems.join('\n').replaceAll('\n\n', '\n');
  const description = `<details><summary>Problems</summary>\n\n${listed}\n\n</details>`;
  return { ...answers, default: { description } };
}

function usedComponents({ paths, components }: OpenAPIObject): Record<string, Record<string, unknown>> {
  const all = (components ?? {}) as Record<string, Record<string, unknown>>;
  const used: Record<string, Record<string, unknown>> = {};
  const unread: unknown[] = [paths];
  const use = (kind: string, name: string): void => {
    if (used[kind]?.[name] !== undefined) return;
    (used[kind] ??= {})[name] = all[kind]?.[name];
    unread.push(all[kind]?.[name]);
  };
  for (let value = unread.pop(); value !== undefined; value = unread.pop()) {
    const text = JSON.stringify(value);
    for (const [, kind, name] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) use(kind!, name!);
    for (const [, name] of text.matchAll(/"security":\[\{"(\w+)"/g)) use('securitySchemes', name!);
  }
  return used;
}
