import { useEffect } from 'react';
import { useServices } from './services.tsx';

/** Keeps the page from reloading by itself, and the browser from leaving without a question, while `unsaved`. */
export function useUnsavedWork(unsaved: boolean): void {
  const { unsavedWork } = useServices();
  useEffect(() => (unsaved ? unsavedWork.hold() : undefined), [unsaved, unsavedWork]);
}
