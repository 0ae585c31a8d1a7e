// Many tellings become few questions: the first is asked soon, however many come meanwhile; while one is being answered the next
// waits, so that no answer is thrown away for a newer question; and what was told during a question is asked behind it.

export interface Gathering {
  tell(): void;
  stop(): void;
}

export function gathering(ask: () => Promise<unknown>, afterMs: number): Gathering {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let again = false;
  let stopped = false;

  function later(): void {
    waiting ??= setTimeout(run, afterMs);
  }

  async function run(): Promise<void> {
    waiting = undefined;
    isAsking = true;
    again = false;
    try {
      await ask();
    } finally {
      isAsking = false;
      if (again && !stopped) later();
    }
  }

  return {
    tell() {
      if (stopped) return;
      if (isAsking) again = true;
      else later();
    },
    stop() {
      stopped = true;
      clearTimeout(waiting);
    },
  };
}
