import { Button, Stack, Text } from '@mantine/core';
import { ReasonField, useReason } from '../forms/reason-field.tsx';
import { unconfirmedCode } from '../tasks/unconfirmed-code.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import type { JobRequest, RequestState } from './job-control.ts';

type Adjust = Extract<JobRequest, { readonly kind: 'adjust' }>;

/** The change that a person must confirm first; `null`: none. */
function unconfirmed(control: RequestState): { readonly request: Adjust; readonly cause: string } | null {
  if (control.phase !== 'failed' || control.request.kind !== 'adjust') return null;
  return control.refusal.code === unconfirmedCode ? { request: control.request, cause: control.refusal.cause } : null;
}

interface ConfirmDilutionProps {
  readonly control: RequestState;
  readonly unitName: string;
  readonly onConfirm: (request: Adjust) => void;
  readonly onCancel: () => void;
}

/** Asks before a change of a running automation lets pumps dilute at once. */
export function ConfirmDilution({ control, unitName, onConfirm, onCancel }: ConfirmDilutionProps) {
  const asked = unconfirmed(control);
  const reason = useReason();
  return (
    <Dialog title={`Dilute ${unitName} now?`} isOpen={asked !== null} onClose={onCancel} closesOutside={false}>
      <Stack gap="md">
        <Text size="sm">{asked?.cause}</Text>
        <ReasonField {...reason} />
        <DialogActions>
          <Button variant="default" onClick={onCancel} data-autofocus>
            Keep the old value
          </Button>
          <Button
            color="red.9"
            disabled={reason.isMissing}
            onClick={() => asked && onConfirm({ ...asked.request, confirmed: { reason: reason.stated } })}
          >
            Change and dilute
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
