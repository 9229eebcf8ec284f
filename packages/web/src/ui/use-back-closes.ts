import { useBlocker, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** While something covers the page, the browser's Back closes it and the page stays. */
export function useBackCloses(isOpen: boolean, onClose: () => void): void {
  const { history } = useRouter();
  useEffect(() => {
    // From the first page of a tab, Back would leave the web UI: one step more is within it.
    if (isOpen && !history.canGoBack()) history.push(history.location.href, history.location.state);
  }, [isOpen, history]);
  useBlocker({
    shouldBlockFn: ({ action }) => {
      if (action !== 'BACK') return false;
      onClose();
      return true;
    },
    disabled: !isOpen,
    enableBeforeUnload: false,
  });
}
