import type { Session } from '@lcs/contract';
import { ActionIcon, Button, Menu, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { fieldFaults } from '../forms/field-faults.ts';
import { type FieldDescriptor, FormFields, useFormValues } from '../forms/form-field.tsx';
import { useSession } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { PersonIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

function useSignOut() {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => leader.signOut(),
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.session }),
  });
}

const passwordFields: readonly FieldDescriptor[] = [
  { kind: 'secret', name: 'password', label: 'Present password', isRequired: true, isFirst: true },
  { kind: 'secret', name: 'new_password', label: 'New password', hint: 'At least 12 characters', isRequired: true },
  { kind: 'secret', name: 'repeated', label: 'New password again', isRequired: true },
];

function PasswordDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { leader } = useServices();
  const { values, set } = useFormValues(() => ({ password: '', new_password: '', repeated: '' }));
  const change = useMutation({
    mutationFn: () =>
      leader.changeOwnPassword({
        body: { password: String(values.password), new_password: String(values.new_password) },
      }),
    onSuccess: onClose,
  });
  const differs = values.repeated !== '' && values.repeated !== values.new_password;
  const faults = fieldFaults(change.error, ['new_password']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!differs) change.mutate();
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Change password" closesOutside={false}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <FormFields
            fields={passwordFields}
            values={values}
            faults={{ ...faults, repeated: differs ? 'Differs from the new password.' : null }}
            onChange={set}
          />
          {change.error && Object.keys(faults).length === 0 && <ProblemAlert error={change.error} />}
          <Text size="sm">All your other sessions end.</Text>
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending}>
              Change password
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Asks before the device stops being a shared tablet. */
function LeaveTablet({ onClose }: { readonly onClose: () => void }) {
  const signOut = useSignOut();
  return (
    <Dialog isOpen onClose={onClose} title="Leave tablet mode?">
      <Stack gap="md">
        <Text size="sm">
          This device then shows the sign-in. Only an administrator can make it a shared tablet again.
        </Text>
        {signOut.error && <ProblemAlert error={signOut.error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={signOut.isPending} onClick={() => signOut.mutate()}>
            Leave tablet mode
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}

const labelOf = ({ kind, name, role }: Session): string => {
  if (kind === 'tablet') return `Shared tablet ${name}`;
  return kind === 'person' ? `${name}, ${role}` : 'Local administrator';
};

interface ItemsProps {
  readonly session: Session;
  readonly onDialog: (dialog: 'password' | 'leave') => void;
}

/** What the caller can do about their session. */
function SessionItems({ session, onDialog }: ItemsProps) {
  const signOut = useSignOut();
  if (session.kind === 'tablet') return <Menu.Item onClick={() => onDialog('leave')}>Leave tablet mode…</Menu.Item>;
  if (session.kind === 'person')
    return (
      <>
        <Menu.Item onClick={() => onDialog('password')}>Change password…</Menu.Item>
        <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
      </>
    );
  return (
    <>
      <Text size="sm" px="sm" pb="xs">
        No person exists yet: everybody who uses this machine may do everything.
      </Text>
      <Menu.Item component={Link} to="/settings/people">
        Create the first administrator…
      </Menu.Item>
    </>
  );
}

/** Who uses the web UI, and what they can do about it. */
export function AccountMenu() {
  const session = useSession();
  const [dialog, setDialog] = useState<'password' | 'leave' | null>(null);
  if (session === undefined) return null;
  const label = labelOf(session);
  const close = (): void => setDialog(null);
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={`Account: ${label}`}>
            <PersonIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{label}</Menu.Label>
          {session.permissions.includes('audit.inspect') && (
            <Menu.Item component={Link} to="/settings/audit">
              Audit
            </Menu.Item>
          )}
          <SessionItems session={session} onDialog={setDialog} />
        </Menu.Dropdown>
      </Menu>
      {dialog === 'password' && <PasswordDialog isOpen onClose={close} />}
      {dialog === 'leave' && <LeaveTablet onClose={close} />}
    </>
  );
}
