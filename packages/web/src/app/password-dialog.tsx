import { Button, Stack, Text } from '@mantine/core';
import type { FormEvent } from 'react';
import { fieldFaults } from '../forms/field-faults.ts';
import { type FieldDescriptor, FormFields, useFormValues } from '../forms/form-field.tsx';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

const passwordFields: readonly FieldDescriptor[] = [
  { kind: 'secret', name: 'password', label: 'Present password', isRequired: true, isFirst: true },
  { kind: 'secret', name: 'new_password', label: 'New password', hint: 'At least 12 characters', isRequired: true },
  { kind: 'secret', name: 'repeated', label: 'New password again', isRequired: true },
];

/** Changes the password of the caller. */
export default function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
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
    <Dialog isOpen onClose={onClose} title="Change password" closesOutside={false}>
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
