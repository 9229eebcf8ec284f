import { Button, Stack } from '@mantine/core';
import { type UseFormInput, useForm } from '@mantine/form';
import type { FormEvent, ReactNode } from 'react';
import { useUnsavedWork } from '../services/services.tsx';
import { Dialog, DialogActions, type DialogProps } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { fieldFaults } from './field-faults.ts';
import { areNumbersSound, type FieldRows, FormFields } from './form-field.tsx';

/** The mutation that sends the values of a form. */
interface Request<Values> {
  readonly mutate: (values: Values, options: { readonly onError: (error: unknown) => void }) => void;
  readonly isPending: boolean;
  readonly error: unknown;
}

/** A form whose values one request sends. What the leader refuses about a field is shown there until the field is changed. */
export function useRequestForm<Values extends object>(
  request: Request<Values>,
  input: Pick<UseFormInput<Values>, 'initialValues' | 'validate'>,
) {
  const form = useForm<Values>({ validateInputOnChange: true, ...input });
  const faultsOf = (error: unknown) => fieldFaults(error, Object.keys(form.values));
  const { error, isPending, mutate } = request;
  const problem = Object.keys(faultsOf(error)).length === 0 ? error : null;
  const submit = form.onSubmit((values) => mutate(values, { onError: (refusal) => form.setErrors(faultsOf(refusal)) }));
  return { form, isPending, problem, submit, isDirty: form.isDirty() };
}

interface RequestFormProps extends Pick<DialogProps, 'onClose'> {
  readonly state: Omit<ReturnType<typeof useRequestForm>, 'form' | 'submit'> & {
    readonly form: Parameters<typeof FormFields>[0]['form'];
    readonly submit: (event: FormEvent<HTMLFormElement>) => void;
  };
  readonly fields: FieldRows;
  /** The label of the button that sends. */
  readonly action: string;
  /** Whether it can be sent as it is. */
  readonly isReady?: boolean;
  /** The form has rules for its required fields, and the browser needs none. */
  readonly noValidate?: boolean;
  /** Above the fields. */
  readonly intro?: ReactNode;
  /** Below the fields. */
  readonly children?: ReactNode;
}

/** The form of a dialog, with its buttons. */
export function RequestForm({
  state,
  fields,
  action,
  isReady = true,
  noValidate = false,
  intro,
  children,
  onClose,
}: RequestFormProps) {
  useUnsavedWork(state.isDirty);
  return (
    <form onSubmit={state.submit} noValidate={noValidate}>
      <Stack gap="md">
        {intro}
        <FormFields fields={fields} form={state.form} />
        {children}
        {state.problem !== null && <ProblemAlert error={state.problem} />}
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {commonWords.cancel}
          </Button>
          <Button
            type="submit"
            loading={state.isPending}
            disabled={!isReady || !areNumbersSound(fields, (name) => state.form.getInputProps(name).value)}
          >
            {action}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  );
}

type FormDialogProps = RequestFormProps &
  Omit<DialogProps, 'isOpen' | 'closesOutside' | 'children'> & { readonly isOpen?: boolean };

/** A dialog with a form. */
export const FormDialog = ({ isOpen = true, title, size, onClosed, ...form }: FormDialogProps) => (
  <Dialog {...{ isOpen, title }} {...(size && { size })} {...(onClosed && { onClosed })} onClose={form.onClose}>
    <RequestForm {...form} />
  </Dialog>
);
