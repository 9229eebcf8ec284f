import { Text } from '@mantine/core';
import type { FieldDescriptor } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { commonWords } from '../words/common.ts';
import { entranceWords } from '../words/entrance.ts';

const passwordFields: readonly FieldDescriptor[] = [
  { kind: 'secret', name: 'password', label: entranceWords.presentPassword, isRequired: true, isFirst: true },
  {
    kind: 'secret',
    name: 'new_password',
    label: entranceWords.newPassword,
    hint: commonWords.passwordMinimum,
    isRequired: true,
  },
  { kind: 'secret', name: 'repeated', label: entranceWords.newPasswordAgain, isRequired: true },
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
      repeated: (repeated, { new_password }) =>
        repeated === new_password ? null : entranceWords.differsFromNewPassword,
    },
  });
  return (
    <FormDialog
      {...{ state, onClose }}
      title={entranceWords.changePassword}
      fields={passwordFields}
      action={entranceWords.changePassword}
    >
      <Text size="sm">{entranceWords.allYourOtherSessionsEnd}</Text>
    </FormDialog>
  );
}
