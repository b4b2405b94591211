import { MultiSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type ChangedEndpointView, type MerchantPageView } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { Dialog, Effects } from '../dialog.js';
import { ShownOnce } from './key-acts.js';
import { pathOf, type To } from './merchant-act.js';

type EventType = NonNullable<MerchantPageView['endpoints'][number]['events']>[number];

const eventTypes = Object.keys({
  'payment.authorized': true,
  'payment.captured': true,
  'payment.capture_failed': true,
  'payment.failed': true,
  'payment.canceled': true,
  'payment.requires_action': true,
  'payment.stuck': true,
  'order.paid': true,
  'order.overpaid': true,
  'order.released': true,
  'refund.succeeded': true,
  'refund.failed': true,
  'dispute.opened': true,
  'dispute.won': true,
  'dispute.lost': true,
  'payout.paid': true,
  'payout.failed': true,
  'payout.returned': true,
} satisfies Record<EventType, true>);

export function NewEndpoint({ merchantId, close }: To<'endpoint'>) {
  const [url, setUrl] = useState('');
  const [events, choose] = useState<string[]>([]);
  const [description, setDescription] = useState('');
  const request = {
    url,
    ...(events.length === 0 ? {} : { events }),
    ...(description.trim() === '' ? {} : { description }),
  };
  return (
    <Dialog
      title="New webhook endpoint"
      label="Create it"
      isReady={url !== ''}
      act={() => api<ChangedEndpointView>('POST', pathOf(merchantId, 'endpoints'), request)}
      shown={secretOf}
      close={close}
    >
      <TextInput
        label="Address"
        description="https, at a name that leads to public addresses alone."
        placeholder="https://shop.example/payonce"
        maxLength={2048}
        value={url}
        onChange={({ currentTarget: { value } }) => setUrl(value.trim())}
      />
      <MultiSelect
        label="Events"
        placeholder={events.length === 0 ? 'All, also those added later' : ''}
        data={eventTypes}
        searchable
        clearable
        value={events}
        onChange={choose}
      />
      <TextInput
        label="Note"
        maxLength={255}
        value={description}
        onChange={({ currentTarget: { value } }) => setDescription(value)}
      />
    </Dialog>
  );
}

const acts = {
  rotate: {
    label: 'Rotate the secret',
    effects: ['For 24 hours events are signed with both secrets, so that either verifies them.'],
    isGrave: false,
  },
  disable: {
    label: 'Disable it',
    effects: ['No event is sent there any more.', 'Deliveries that wait are canceled; they can be replayed.'],
    isGrave: true,
  },
  enable: {
    label: 'Enable it',
    effects: ['Events from now on are sent there; those of the time between can be replayed.'],
    isGrave: false,
  },
  ping: {
    label: 'Send a ping',
    effects: ['An event of the type ping is sent there; its delivery is among the webhooks.'],
    isGrave: false,
  },
};

export function ActOnEndpoint({ merchantId, of: { way, id, url }, close }: To<'endpoint-act'>) {
  const { label, effects, isGrave } = acts[way];
  return (
    <Dialog
      title={url}
      label={label}
      isDangerous={isGrave}
      act={() => api<ChangedEndpointView>('POST', pathOf(merchantId, `endpoints/${way}`), { id })}
      shown={secretOf}
      close={close}
    >
      <Effects of={effects} isGrave={isGrave} />
    </Dialog>
  );
}

function secretOf({ secret }: ChangedEndpointView) {
  return secret === null ? null : (
    <ShownOnce value={secret}>
      The receiver verifies events with it. Copy it now: nobody can read it again here.
    </ShownOnce>
  );
}
