import { Button, Checkbox, Code, CopyButton, Group, NumberInput, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type MerchantPageView, type NewApiKeyView } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { Dialog, Effects } from '../dialog.js';
import { CodeField, codeOf, LIFTS } from '../two-people.js';
import { pathOf, type To } from './merchant-act.js';

const scopes = Object.keys({
  'payments:read': true,
  'payments:write': true,
  'payouts:write': true,
  'recipients:write': true,
  'webhooks:read': true,
  'webhooks:write': true,
  'events:read': true,
} satisfies Record<MerchantPageView['keys'][number]['scopes'][number], true>);

export function NewKey({ merchantId, close }: To<'key'>) {
  const [chosen, choose] = useState<string[]>(['payments:read', 'payments:write']);
  const [hours, setHours] = useState<number | null>(null);
  const [test, setTest] = useState(false);
  const [bound, setBound] = useState(false);
  const [code, setCode] = useState('');
  const terms = {
    needs_certificate: bound,
    ...(hours === null ? {} : { expires_in_hours: hours }),
    ...codeOf(code),
  };
  return (
    <Dialog
      title="New API key"
      label="Create it"
      isReady={chosen.length > 0}
      act={() => api<NewApiKeyView>('POST', pathOf(merchantId, 'keys'), { scopes: chosen, test, ...terms })}
      shown={shownOnce}
      close={close}
    >
      <Checkbox.Group label="What it allows" value={chosen} onChange={choose}>
        {scopes.map((scope) => (
          <Checkbox key={scope} value={scope} label={scope} mt={6} />
        ))}
      </Checkbox.Group>
      <NumberInput
        label="Expires in hours"
        placeholder="Never, until it is revoked"
        min={1}
        max={87_600}
        allowDecimal={false}
        value={hours ?? ''}
        onChange={(value) => setHours(value === '' ? null : Number(value))}
      />
      <Checkbox
        label="Taken by gRPC alone, with a client certificate of the merchant"
        checked={bound}
        onChange={({ currentTarget }) => setBound(currentTarget.checked)}
      />
      <Checkbox
        label="For the merchant's test mode: it reaches PSP accounts of test mode alone"
        checked={test}
        onChange={({ currentTarget }) => setTest(currentTarget.checked)}
      />
      {chosen.includes('payouts:write') && !test && <CodeField value={code} set={setCode} hint={LIFTS} />}
    </Dialog>
  );
}

export function ReplaceKey({ merchantId, of: { act, id, prefix, paysOut }, close }: To<'rotate' | 'revoke'>) {
  const [hours, setHours] = useState(24);
  const [code, setCode] = useState('');
  return act === 'rotate' ? (
    <Dialog
      title={`Rotate ${prefix}…`}
      label="Rotate it"
      act={() =>
        api<NewApiKeyView>('POST', pathOf(merchantId, 'keys/rotate'), {
          id,
          grace_hours: hours,
          ...codeOf(code),
        })
      }
      shown={shownOnce}
      close={close}
    >
      <Text size="sm">
        A new key takes its scopes, its lifetime and whether it needs a certificate; both are live for a
        while.
      </Text>
      <NumberInput
        label="The old one is refused after hours"
        min={1}
        max={87_600}
        allowDecimal={false}
        value={hours}
        onChange={(value) => setHours(Number(value))}
      />
      {paysOut && <CodeField value={code} set={setCode} hint={LIFTS} />}
    </Dialog>
  ) : (
    <Dialog
      title={`Revoke ${prefix}…`}
      label="Revoke it"
      isDangerous
      act={() => api('POST', pathOf(merchantId, 'keys/revoke'), { id })}
      close={close}
    >
      <Effects
        of={['Within five seconds all processes refuse it.', 'It cannot be made live again.']}
        isGrave
      />
    </Dialog>
  );
}

function shownOnce({ id, key, approval }: NewApiKeyView) {
  return (
    <>
      <ShownOnce value={key}>Copy it now: it is not stored, and not shown again. Its id is {id}.</ShownOnce>
      {approval && <Text size="sm">It pays out once another person has approved that.</Text>}
    </>
  );
}

/** A secret that only this answer has, to be copied. */
export function ShownOnce({ value, children }: { value: string; children: ReactNode }) {
  return (
    <>
      <Text size="sm">{children}</Text>
      <Group gap="xs" wrap="nowrap">
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }} flex={1}>
          {value}
        </Code>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
    </>
  );
}
