package dev.sand.hostagent.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.GrainSpec;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessSpec;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.process.RecordBytes;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.StateWrite;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A value that is written again and again: what a next owner would have to read is bounded, and not by time alone. */
class JournalBytesTest extends ProcessFixture {
    private static final int VALUE = 1 << 20;
    private static final ProcessSpec SPEC = new ProcessSpec(2, 1_000, 10_000, 64L << 20, 256L << 20, 300_000, 500_000, Map.of());

    JournalBytesTest() {
        super(new CoreFixture().with(CoreConfiguration.DEFAULT.withMessageHold(0)).with(SPEC).with(new GrainSpec("g", "handler:handle", Isolation.REQUEST, GrainSpec.Preload.AUTO, 90_000, 10,
                0, 100, 1 << 20, 1, 4, 0, Map.of(), List.of())).warm());
    }

    private void write(String process, long bytes, int times) {
        for (int i = 0; i < times; i++) {
            finish(running(process), new StateWrite("a", new Payload(Payload.OCTETS, null, new Payload.Reference(process + i, bytes))));
            shop.settle();
            shop.after(1);
        }
    }

    private List<Action.WriteImage> images(String process) {
        return Stream.concat(shop.settled.stream(), shop.all.stream()).filter(Action.WriteImage.class::isInstance)
                .map(Action.WriteImage.class::cast).filter(write -> write.process().equals(process)).toList();
    }

    @Test
    void anImageIsWrittenWhenTheJournalHasMuchThatNoneHas() {
        int often = (int) (JournalBytes.OF_ONE / VALUE);
        write("p", VALUE, often - 1);
        assertThat(images("p")).isEmpty();
        write("p", VALUE, 2);
        assertThat(images("p")).hasSize(1);
        write("p", VALUE, often - 3);
        assertThat(images("p")).as("counted anew").hasSize(1);
        write("p", VALUE, 3);
        assertThat(images("p")).hasSize(2);
    }

    @Test
    void whereTheBusIsEmbeddedOneIsWrittenSooner() {
        JournalBytes.Share share = new JournalBytes(4L << 20).new Share();
        Change.Done write = new Change.Done(List.of(new StateWrite("a", new Payload(Payload.OCTETS, new byte[VALUE], null))), List.of(), List.of());
        for (int i = 0; i < 3; i++) {
            share.add(write);
            assertThat(share.isTooMuch(VALUE, 0)).isFalse();
        }
        share.add(write);
        assertThat(share.isTooMuch(VALUE, 0)).isTrue();
        assertThat(share.isTooMuch(32L << 20, 0)).as("a quarter of the state is more").isFalse();
    }

    @Test
    void oneThatCannotBeWrittenIsTriedAgainLaterAndNotAtEveryWrite() {
        shop.writesImages = false;
        write("p", VALUE, (int) (JournalBytes.OF_ONE / VALUE) + 1);
        shop.on(new Input.ImageWritten(images("p").getFirst(), Failure.platform(Errors.UNAVAILABLE, "the store is away", true)));
        write("p", VALUE, 20);
        assertThat(images("p")).hasSize(1);
        shop.after(30_000);
        assertThat(images("p")).hasSize(2);
    }

    @Test
    void whoHasMoreThanTheOthersIsFirstWhenAllHaveTooMuch() {
        long small = JournalBytes.OF_ALL / 20;
        List<String> others = List.of("a", "b", "c", "d", "e", "f");
        others.forEach(other -> write(other, small, 2));
        write("p", small, 8);
        assertThat(images("p")).hasSize(1);
        others.forEach(other -> assertThat(images(other)).as(other).isEmpty());
    }

    private Running withMessages(String process, int count) {
        command(process, Kind.CREATE);
        Running sender = running("sender");
        Running receiver = running(process);
        for (int i = 0; i < count; i++) {
            Payload value = new Payload(Payload.OCTETS, null, new Payload.Reference("message" + i, VALUE));
            assertThat(call(sender, new ProcessCall.Send(i, process, "k", value, 0))).isInstanceOf(ProcessCall.Answer.Done.class);
            assertThat(call(receiver, new ProcessCall.Receive(null, null, 0))).isInstanceOf(ProcessCall.Answer.Received.class);
        }
        shop.settle();
        return receiver;
    }

    @Test
    void largeMessagesThatAFunctionHasReceivedAreWrittenInNoImageBeforeItHasEnded() {
        Running receiver = withMessages("p", 60);
        write("p", VALUE, 10);
        assertThat(images("p")).isEmpty();
        finish(receiver);
        shop.settle();
        write("p", VALUE, 1);
        assertThat(images("p")).hasSize(1);
        assertThat(images("p").getFirst().image().messages()).isEmpty();
    }

    /** Not when the next large message comes, which would be in the image. */
    @Test
    void oneIsWrittenOnceTheFunctionHasEndedThatHadTheMessages() {
        int half = (int) (JournalBytes.OF_ONE / VALUE / 2);
        finish(withMessages("p", half / 2));
        shop.settle();
        shop.after(1);
        assertThat(images("p")).as("too little for one").isEmpty();
        Running receiver = withMessages("p", half / 2 + 1);
        assertThat(images("p")).isEmpty();
        finish(receiver);
        shop.settle();
        shop.after(1);
        assertThat(images("p")).singleElement().satisfies(write -> assertThat(write.image().messages()).isEmpty());
    }

    @Test
    void aFunctionThatKeepsItsLargeMessagesHoldsNoImageUpForEver() {
        withMessages("p", 60);
        write("p", VALUE, JournalBytes.SPARED * 60 - 61);
        assertThat(images("p")).isEmpty();
        write("p", VALUE, 2);
        assertThat(images("p")).hasSize(1);
    }

    @Test
    void whatLiesInTheRecordsIsBoundedAllTheSame() {
        withMessages("p", 60);
        int small = RecordBytes.TAKEN_IN_BYTES;
        write("p", small, (int) (JournalBytes.OF_ONE / small) - 4); // and what surrounds values
        assertThat(images("p")).isEmpty();
        write("p", small, 4);
        assertThat(images("p")).hasSize(1);
    }

    @Test
    void whatIsHereNoMoreCountsNoMore() {
        long small = JournalBytes.OF_ALL / 20;
        for (String one : List.of("a", "b")) {
            write(one, small, 9);
            command(one, Kind.KILL);
        }
        write("p", small, 9);
        assertThat(images("p")).isEmpty();
    }
}
