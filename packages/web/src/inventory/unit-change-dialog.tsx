import { Button, Stack, Text } from '@mantine/core';
import type { FormEvent } from 'react';
import { ReasonField, useReason } from '../forms/reason-field.tsx';
import { useServices } from '../services/services.tsx';
import { useUnitNames } from '../services/use-unit-names.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { inventoryWords } from '../words/inventory.ts';
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
    title: (unit) => inventoryWords.issueNewCredentialsTo(unit),
    effects: [inventoryWords.newCredentialsEffect],
    action: inventoryWords.issueNewCredentials,
  },
  revoke: {
    title: (unit) => inventoryWords.revokeCredentialsOf(unit),
    effects: [inventoryWords.revokeEffect, inventoryWords.revokeJobsGoOn],
    action: commonWords.revoke,
  },
  remove: {
    title: (unit) => inventoryWords.removeFromInventoryQuestion(unit),
    effects: [inventoryWords.removeEffect, inventoryWords.removeReachesLater],
    action: commonWords.remove,
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
  const reason = useReason();
  const nameOf = useUnitNames();
  const { title, effects, action } = words[kind];
  const asksReason = kind === 'remove';
  const params = { reactor_unit: unit };
  const change = useInventoryChange((text: string): Promise<unknown> => {
    if (kind === 'rotate') return leader.rotateCredentials({ params });
    if (kind === 'revoke') return leader.revokeCredentials({ params });
    return leader.removeWorker({ params, ...(text !== '' && { reason: text }) });
  }, onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate(reason.stated);
  };
  return (
    <Dialog isOpen onClose={onClose} title={title(nameOf(unit))}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {effects.map((text) => (
            <Text key={text} size="sm">
              {text}
            </Text>
          ))}
          {asksReason && <ReasonField {...reason} />}
          {change.error && <ProblemAlert error={change.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose} data-autofocus>
              {commonWords.cancel}
            </Button>
            <Button
              type="submit"
              {...(kind !== 'rotate' && { color: 'red' })}
              loading={change.isPending}
              disabled={asksReason && reason.isMissing}
            >
              {action}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
