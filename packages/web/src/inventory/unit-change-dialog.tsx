import { Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useSession } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { useInventoryChange } from './use-inventory.ts';

/** What can be done with a unit of the inventory. */
export type UnitChangeKind = 'rotate' | 'revoke' | 'remove';

interface Words {
  readonly title: (unit: string) => string;
  readonly effects: readonly string[];
  readonly action: string;
}

const words: { readonly [Kind in UnitChangeKind]: Words } = {
  rotate: {
    title: (unit) => `Issue new credentials to ${unit}?`,
    effects: ['The unit receives them at its next contact. Until then the former ones are valid. Its jobs continue.'],
    action: 'Issue new credentials',
  },
  revoke: {
    title: (unit) => `Revoke the credentials of ${unit}?`,
    effects: [
      'The leader refuses this machine at once, and sends it nothing more. It joins again with a one-time code or an approval.',
      'Its jobs go on: stop them here before, or on its machine with “lcs stop --all”.',
    ],
    action: 'Revoke',
  },
  remove: {
    title: (unit) => `Remove ${unit} from the inventory?`,
    effects: [
      'Its jobs are stopped and it leaves its experiment. Recorded data, labels and the event log are kept.',
      'A unit that is off receives the change when it returns.',
    ],
    action: 'Remove',
  },
};

interface UnitChangeProps {
  readonly unit: string;
  readonly kind: UnitChangeKind;
  readonly onClose: () => void;
}

/** Asks before a unit is removed, or its credentials are changed. */
export function UnitChangeDialog({ unit, kind, onClose }: UnitChangeProps) {
  const { leader } = useServices();
  const isPerson = useSession()?.kind === 'person';
  const [reason, setReason] = useState('');
  const { title, effects, action } = words[kind];
  const asksReason = kind === 'remove';
  const mustExplain = asksReason && isPerson;
  const params = { reactor_unit: unit };
  const change = useInventoryChange((text: string): Promise<unknown> => {
    if (kind === 'rotate') return leader.rotateCredentials({ params });
    if (kind === 'revoke') return leader.revokeCredentials({ params });
    return leader.removeWorker({ params, ...(text !== '' && { reason: text }) });
  }, onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate(reason.trim());
  };
  return (
    <Dialog isOpen onClose={onClose} title={title(unit)} closesOutside={!asksReason}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {effects.map((text) => (
            <Text key={text} size="sm">
              {text}
            </Text>
          ))}
          {asksReason && (
            <TextInput
              label={mustExplain ? 'Reason' : 'Reason (optional)'}
              description="The audit keeps it."
              autoComplete="off"
              maxLength={500}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          )}
          {change.error && <ProblemAlert error={change.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose} data-autofocus>
              Cancel
            </Button>
            <Button
              type="submit"
              {...(kind !== 'rotate' && { color: 'red' })}
              loading={change.isPending}
              disabled={mustExplain && reason.trim() === ''}
            >
              {action}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
