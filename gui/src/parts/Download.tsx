// A link to something of the platform, to be kept as a file; of a platform with a key it is fetched first.
import { useMutation } from "@tanstack/react-query";
import { download } from "../api/client";
import { isKeyed } from "../api/key";
import { Trouble } from "./bits";

export function Download({ url, name }: { readonly url: string; readonly name: string }) {
  const fetched = useMutation({ mutationFn: () => download(url, name) });
  return (
    <>
      <a
        href={url}
        download={name}
        onClick={(event) => {
          if (!isKeyed()) return;
          event.preventDefault();
          fetched.mutate();
        }}
      >
        Download it
      </a>
      {fetched.error && <Trouble error={fetched.error} />}
    </>
  );
}
