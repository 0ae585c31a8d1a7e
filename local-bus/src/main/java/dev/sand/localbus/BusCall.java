package dev.sand.localbus;

/** The calls of the services LocalBus and Control, by their names on the wire. */
enum BusCall {
    TAKE("take", false),
    FINISH("finish", true),
    FAIL("fail", true),
    PUBLISH("publish", false),
    ENQUEUE("enqueue", false),
    DATA_GET("dataGet", false),
    DATA_PUT("dataPut", false),
    DATA_DELETE("dataDelete", false),
    DATA_LIST("dataList", false),
    DATA_ADD("dataAdd", false),
    TABLE("table", false),
    OBJECT("object", false),
    STATE_GET("stateGet", false),
    STATE_KEYS("stateKeys", false),
    STATE_WRITE("stateWrite", false),
    SEND("send", false),
    RECEIVE("receive", false),
    PROCESS_INVOKE("processInvoke", false),
    PROCESS_RESULT("processResult", false),
    PROCESS_LIST("processList", false),
    CONTROL("control", false),
    COMMANDS("commands", false),
    REPORT("report", true);

    final String wireName;
    final boolean oneway;

    BusCall(String wireName, boolean oneway) {
        this.wireName = wireName;
        this.oneway = oneway;
    }

    /** @return null for any other name */
    static BusCall of(String wireName) {
        return switch (wireName) {
            case "take" -> TAKE;
            case "finish" -> FINISH;
            case "fail" -> FAIL;
            case "publish" -> PUBLISH;
            case "enqueue" -> ENQUEUE;
            case "dataGet" -> DATA_GET;
            case "dataPut" -> DATA_PUT;
            case "dataDelete" -> DATA_DELETE;
            case "dataList" -> DATA_LIST;
            case "dataAdd" -> DATA_ADD;
            case "table" -> TABLE;
            case "object" -> OBJECT;
            case "stateGet" -> STATE_GET;
            case "stateKeys" -> STATE_KEYS;
            case "stateWrite" -> STATE_WRITE;
            case "send" -> SEND;
            case "receive" -> RECEIVE;
            case "processInvoke" -> PROCESS_INVOKE;
            case "processResult" -> PROCESS_RESULT;
            case "processList" -> PROCESS_LIST;
            case "control" -> CONTROL;
            case "commands" -> COMMANDS;
            case "report" -> REPORT;
            default -> null;
        };
    }
}
