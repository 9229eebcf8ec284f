import { Text } from '@mantine/core';
import type { FieldDescriptor } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';

const passwordFields: readonly FieldDescriptor[] = [
  { kind: 'secret', name: 'password', label: 'Present password', isRequired: true, isFirst: true },
  { kind: 'secret', name: 'new_password', label: 'New password', hint: 'At least 12 characters', isRequired: true },
  { kind: 'secret', name: 'repeated', label: 'New password again', isRequired: true },
];

/** Changes the password of the caller. */
export default function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const { leader } = useServices();
  const change = useMutation({
    mutationFn: ({ password, new_password }: { readonly password: string; readonly new_password: string }) =>
      leader.changeOwnPassword({ body: { password, new_password } }),
    onSuccess: onClose,
  });
  const state = useRequestForm(change, {
    initialValues: { password: '', new_password: '', repeated: '' },
    validate: {
      repeated: (repeated, { new_password }) => (repeated === new_password ? null : 'Differs from the new password.'),
    },
  });
  return (
    <FormDialog {...{ state, onClose }} title="Change password" fields={passwordFields} action="Change password">
      <Text size="sm">All your other sessions end.</Text>
    </FormDialog>
  );
}
